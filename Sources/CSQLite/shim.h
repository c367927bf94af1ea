// SQLite as SQLiteStorage uses it.

#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast to a function pointer, which Swift cannot import: these let SQLite copy what it is given.

static inline int csqlite_bind_blob_copy(sqlite3_stmt *statement, int place, const void *bytes, int count) {
  // A null pointer would bind NULL instead of an empty blob.
  return sqlite3_bind_blob(statement, place, bytes ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_bind_text_copy(sqlite3_stmt *statement, int place, const char *text, int count) {
  return sqlite3_bind_text(statement, place, text ? text : "", count, SQLITE_TRANSIENT);
}

#endif
