// Inserts load events as energykitd's SQLite store does, with nothing around it: the same table, key and pragmas, 1,000
// rows per transaction. Prints rows per second.
//
//     sqlite_bare DIRECTORY ROWS
//
// DIRECTORY must exist; the database in it is made anew.

#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROWS_PER_TRANSACTION = 1000, EVENTS_PER_VENUE = 10, VENUES = 10000, EVENTS_PER_STEP = 20000 };

static sqlite3 *database;

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(database));
  exit(1);
}

static void execute(const char *sql) { require(sqlite3_exec(database, sql, 0, 0, 0) == SQLITE_OK, sql); }

static uint64_t next_random(void) {  // SplitMix64
  static uint64_t state = 1;
  uint64_t mixed = state += 0x9e3779b97f4a7c15u;
  mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
  return mixed ^ mixed >> 31;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static const char schema[] =
    "CREATE TABLE events (sequence INTEGER PRIMARY KEY, timestamp INTEGER NOT NULL, id BLOB NOT NULL,"
    " venue_id BLOB NOT NULL, client_id BLOB NOT NULL, kind INTEGER NOT NULL, device_type INTEGER NOT NULL,"
    " device_id TEXT NOT NULL, device_name TEXT, session_id BLOB, session_state INTEGER,"
    " was_following_guidance INTEGER, guidance_token BLOB, percent INTEGER NOT NULL, direction INTEGER, power INTEGER,"
    " energy INTEGER, has_performance INTEGER, range_meters REAL, battery_celsius REAL, status INTEGER,"
    " reason INTEGER, target_percent INTEGER, target_completion_time INTEGER, target_start_time INTEGER,"
    " target_range_meters REAL, received_at INTEGER NOT NULL, UNIQUE (timestamp, id, venue_id, client_id))";

static const char insertion[] =
    "INSERT INTO events (sequence, timestamp, id, venue_id, client_id, kind, device_type, device_id, session_id,"
    " session_state, was_following_guidance, guidance_token, percent, direction, power, energy, has_performance,"
    " received_at) VALUES (?, ?, ?, ?, ?, 1, 1, ?, ?, 2, 1, ?, 40, 1, 7200000, ?, 0, ?)";

static void insert(sqlite3_stmt *row, int64_t number) {
  const int64_t start = 1768478400000;
  const uint64_t venue[2] = {(uint64_t)(number / EVENTS_PER_VENUE % VENUES), 2}, client[2] = {1, 1};
  const uint64_t session[2] = {venue[0], 3}, id[2] = {next_random(), next_random()};
  const uint64_t token[2] = {next_random(), next_random()};
  // A quarter of an hour's events come in any order.
  int64_t timestamp = start + number / EVENTS_PER_STEP * 900000 + (int64_t)(next_random() % 900000);
  char device[24];
  int length = snprintf(device, sizeof device, "charger-%" PRIu64, venue[0]);
  sqlite3_bind_int64(row, 1, number + 1);
  sqlite3_bind_int64(row, 2, timestamp);
  sqlite3_bind_blob(row, 3, id, sizeof id, SQLITE_STATIC);
  sqlite3_bind_blob(row, 4, venue, sizeof venue, SQLITE_STATIC);
  sqlite3_bind_blob(row, 5, client, sizeof client, SQLITE_STATIC);
  sqlite3_bind_text(row, 6, device, length, SQLITE_STATIC);
  sqlite3_bind_blob(row, 7, session, sizeof session, SQLITE_STATIC);
  sqlite3_bind_blob(row, 8, token, sizeof token, SQLITE_STATIC);
  sqlite3_bind_int64(row, 9, number % 50000);
  sqlite3_bind_int64(row, 10, timestamp + 500);
  require(sqlite3_step(row) == SQLITE_DONE, "insert");
  sqlite3_reset(row);
}

int main(int count, char **arguments) {
  int64_t rows = count == 3 ? atoll(arguments[2]) : 0;
  if (rows <= 0) {
    fprintf(stderr, "usage: sqlite_bare DIRECTORY ROWS\n");
    return 2;
  }
  char path[4096];
  const char *suffixes[] = {"-wal", "-shm", ""};
  for (size_t i = 0; i < 3; i++) {
    snprintf(path, sizeof path, "%s/bare.sqlite3%s", arguments[1], suffixes[i]);
    unlink(path);
  }
  require(sqlite3_open(path, &database) == SQLITE_OK, path);
  execute("PRAGMA journal_mode = WAL");
  execute("PRAGMA synchronous = FULL");
  execute("PRAGMA cache_size = -32768");
  execute(schema);
  sqlite3_stmt *row;
  require(sqlite3_prepare_v2(database, insertion, -1, &row, 0) == SQLITE_OK, "prepare");
  double start = seconds();
  for (int64_t number = 0; number < rows; number++) {
    if (number % ROWS_PER_TRANSACTION == 0) execute("BEGIN IMMEDIATE");
    insert(row, number);
    if ((number + 1) % ROWS_PER_TRANSACTION == 0 || number + 1 == rows) execute("COMMIT");
  }
  printf("%.0f\n", (double)rows / (seconds() - start));
  sqlite3_finalize(row);
  sqlite3_close(database);
  return 0;
}
