// Charges an electric car when the grid is cleaner and cheaper: lists the venues, streams the guidance of one, picks
// the best hours, reports a short charging session, and prints what the server answered.
//
//   charge_car [demo-data/demo.json]
//   charge_car --address 127.0.0.1:50051 --api-key ek_...
#include <energykit/energykit.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "demo_file.h"
#include "energykit/v1/guidance.pb-c.h"
#include "energykit/v1/load_event.pb-c.h"
#include "energykit/v1/venue.pb-c.h"

enum {
  CALL_TIMEOUT_MS = 10000,
  CHARGING_SECONDS = 2 * 3600,
  CHARGER_WATTS = 7200,
  VALUES_MAX = 256,
  CHART_ROWS = 24,
  BAR_WIDTH = 40,
  SESSION_EVENTS = 3,
  SESSION_STEP_SECONDS = 300,
};

static const int64_t MILLIWATT_HOURS_PER_STEP = (int64_t)CHARGER_WATTS * 1000 * SESSION_STEP_SECONDS / 3600;

typedef struct arguments {
  demo_file server;
  const char *venue;  // name or id; NULL: the first with a rate plan
} arguments;

typedef struct venue {
  char id[40];
  char name[128];
  char time_zone[64];  // an IANA name
} venue;

// Times are seconds since 1970. 0 is the best rating, 1 the worst.
typedef struct rated_span {
  int64_t start;
  int64_t end;
  double rating;
} rated_span;

typedef struct guidance {
  char token[40];
  size_t count;
  rated_span values[VALUES_MAX];
} guidance;

static void print_failure(const char *call, const ek_status *status) {
  fprintf(stderr, "%s failed.\n%s: %s\n", call, ek_code_name(status->code), status->message);
  if (status->reason[0] != '\0') {
    const char *comma = status->metadata[0] != '\0' ? ", " : "";
    fprintf(stderr, "  reason: %s%s%s\n", status->reason, comma, status->metadata);
  }
  for (size_t i = 0; i < status->violations_kept; i++) {
    fprintf(stderr, "  %s: %s\n", status->violations[i].field, status->violations[i].description);
  }
  if (status->violation_count > status->violations_kept) {
    fprintf(stderr, "  and %zu more\n", status->violation_count - status->violations_kept);
  }
  if (status->retry_after_ms >= 0) fprintf(stderr, "  try again in %" PRId64 " ms\n", status->retry_after_ms);
}

// Copies a text that must fit. Returns false where it does not.
static bool copy(char *target, size_t size, const char *text) {
  size_t length = strlen(text);
  if (length >= size) return false;
  memcpy(target, text, length + 1);
  return true;
}

// MARK: Venues

static bool is_wanted(const Energykit__V1__EnergyVenue *each, const char *wanted) {
  if (wanted == NULL) return each->has_rate_plan;
  return strcmp(each->name, wanted) == 0 || strcmp(each->id, wanted) == 0;
}

static const Energykit__V1__EnergyVenue *choose(const Energykit__V1__ListVenuesResponse *response, const char *wanted) {
  for (size_t i = 0; i < response->n_venues; i++) {
    if (is_wanted(response->venues[i], wanted)) return response->venues[i];
  }
  return wanted == NULL && response->n_venues > 0 ? response->venues[0] : NULL;
}

static bool find_venue(ek_client *client, const char *wanted, venue *chosen) {
  Energykit__V1__ListVenuesRequest request = ENERGYKIT__V1__LIST_VENUES_REQUEST__INIT;
  ProtobufCMessage *answer;
  ek_status status;
  if (ek_call(client, &energykit__v1__energy_venue_service__descriptor, "ListVenues", &request.base, &answer,
              CALL_TIMEOUT_MS, &status) != EK_OK) {
    print_failure("ListVenues", &status);
    return false;
  }
  const Energykit__V1__ListVenuesResponse *response = (const Energykit__V1__ListVenuesResponse *)answer;
  printf("Venues\n");
  for (size_t i = 0; i < response->n_venues; i++) {
    const Energykit__V1__EnergyVenue *each = response->venues[i];
    printf("  %s (%s, %s, %s)\n", each->name, each->grid_region, each->time_zone,
           each->has_rate_plan ? "rate plan" : "no rate plan");
  }
  const Energykit__V1__EnergyVenue *found = choose(response, wanted);
  bool is_found = found != NULL && copy(chosen->id, sizeof chosen->id, found->id) &&
                  copy(chosen->name, sizeof chosen->name, found->name) &&
                  copy(chosen->time_zone, sizeof chosen->time_zone, found->time_zone);
  if (!is_found) fprintf(stderr, "There is no such venue for this API key.\n");
  protobuf_c_message_free_unpacked(answer, NULL);
  return is_found;
}

// MARK: Guidance

// Keeps the first guidance and asks for no more. A charger would go on and plan again whenever a newer one comes.
static bool take_guidance(const ProtobufCMessage *message, void *context) {
  const Energykit__V1__ElectricityGuidance *from =
      ((const Energykit__V1__StreamGuidanceResponse *)message)->guidance;
  guidance *to = context;
  if (from == NULL || !copy(to->token, sizeof to->token, from->guidance_token)) return false;
  for (size_t i = 0; i < from->n_values && to->count < VALUES_MAX; i++) {
    const Energykit__V1__TimeInterval *interval = from->values[i]->interval;
    if (interval == NULL || interval->start == NULL || interval->end == NULL) continue;
    to->values[to->count++] = (rated_span){
        .start = interval->start->seconds, .end = interval->end->seconds, .rating = from->values[i]->rating};
  }
  return false;
}

static bool stream_guidance(ek_client *client, venue *at, guidance *current) {
  Energykit__V1__StreamGuidanceRequest request = ENERGYKIT__V1__STREAM_GUIDANCE_REQUEST__INIT;
  request.venue_id = at->id;
  request.suggested_action = ENERGYKIT__V1__SUGGESTED_ACTION__SUGGESTED_ACTION_SHIFT;
  ek_status status;
  memset(current, 0, sizeof *current);
  if (ek_stream(client, &energykit__v1__electricity_guidance_service__descriptor, "StreamGuidance", &request.base,
                take_guidance, current, CALL_TIMEOUT_MS, &status) != EK_OK) {
    print_failure("StreamGuidance", &status);
    return false;
  }
  if (current->count == 0) fprintf(stderr, "The guidance is empty.\n");
  return current->count > 0;
}

// From here on local time is the venue's; UTC where the system does not know the zone. The whole process has one zone, so
// this is for programs with one thread.
static void use_time_zone_of(const venue *at) {
  bool is_name = at->time_zone[0] != '/' && strstr(at->time_zone, "..") == NULL;  // never a path out of the database
  if (setenv("TZ", is_name ? at->time_zone : "UTC", 1) == 0) tzset();
}

// Local time by a pattern of strftime, such as "%a %H:%M".
static const char *clock_text(int64_t moment, const char *pattern, char text[16]) {
  time_t seconds = (time_t)moment;
  struct tm parts;
  if (localtime_r(&seconds, &parts) == NULL || strftime(text, 16, pattern, &parts) == 0) text[0] = '\0';
  return text;
}

static void print_chart(const guidance *current, const venue *at) {
  char start[16], end[16];
  printf("\nGuidance for %s: lower is better\n", at->name);
  for (size_t i = 0; i < current->count && i < CHART_ROWS; i++) {
    const rated_span *value = &current->values[i];
    printf("  %s - %s  %.2f ", clock_text(value->start, "%a %H:%M", start), clock_text(value->end, "%H:%M", end),
           value->rating);
    for (int column = 0; column < BAR_WIDTH && column < value->rating * BAR_WIDTH - 0.5; column++) printf("█");
    putchar('\n');
  }
  if (current->count > CHART_ROWS) printf("  ... and %zu more\n", current->count - CHART_ROWS);
}

// Fills in the time-weighted mean rating. Returns false where the guidance does not cover all of the span.
static bool rate(const guidance *current, rated_span *span) {
  int64_t covered = 0;
  double weighted = 0;
  for (size_t i = 0; i < current->count; i++) {
    const rated_span *value = &current->values[i];
    int64_t from = value->start > span->start ? value->start : span->start;
    int64_t to = value->end < span->end ? value->end : span->end;
    if (to <= from) continue;
    covered += to - from;
    weighted += (double)(to - from) * value->rating;
  }
  if (covered != span->end - span->start) return false;
  span->rating = weighted / (double)covered;
  return true;
}

// Takes the span from `start` if it is better than `best`, or as good and earlier.
static void consider(const guidance *current, int64_t start, int64_t now, rated_span *best) {
  const double tie = 1e-6;
  rated_span span = {.start = start, .end = start + CHARGING_SECONDS};
  if (start < now || !rate(current, &span)) return;
  bool is_better = span.rating < best->rating - tie;
  bool is_as_good = span.rating <= best->rating + tie;
  if (best->end == 0 || is_better || (is_as_good && span.start < best->start)) *best = span;
}

// The ratings are constant between boundaries, so the best span starts or ends at one of them, or starts now.
static bool find_best(const guidance *current, int64_t now, rated_span *best) {
  *best = (rated_span){0};
  consider(current, now, now, best);
  for (size_t i = 0; i < current->count; i++) {
    const int64_t boundaries[] = {current->values[i].start, current->values[i].end};
    for (size_t j = 0; j < 2; j++) {
      consider(current, boundaries[j], now, best);
      consider(current, boundaries[j] - CHARGING_SECONDS, now, best);
    }
  }
  return best->end != 0;
}

// MARK: Load events

// One event with all that it points to; filled in place, since it points into itself.
typedef struct session_event {
  Energykit__V1__LoadEvent event;
  Google__Protobuf__Timestamp timestamp;
  Energykit__V1__ElectricVehicleMeasurement measurement;
  char id[37];
} session_event;

typedef struct session {
  char id[37];
  Energykit__V1__ElectricalLoadDevice device;
  session_event events[SESSION_EVENTS];
} session;

static void fill_measurement(Energykit__V1__ElectricVehicleMeasurement *measurement, int step, bool is_active) {
  energykit__v1__electric_vehicle_measurement__init(measurement);
  measurement->state_of_charge_percent = 60 + step;
  measurement->direction = ENERGYKIT__V1__ELECTRICITY_FLOW_DIRECTION__ELECTRICITY_FLOW_DIRECTION_IMPORTED;
  measurement->power_milliwatts = is_active ? (int64_t)CHARGER_WATTS * 1000 : 0;  // 0 at begin and end
  measurement->energy_milliwatt_hours = step * MILLIWATT_HOURS_PER_STEP;          // since begin
}

static bool fill_event(session_event *each, session *session, Energykit__V1__SessionState state, int step,
                       int64_t begin) {
  if (!ek_make_uuid(each->id)) return false;
  google__protobuf__timestamp__init(&each->timestamp);
  each->timestamp.seconds = begin + step * SESSION_STEP_SECONDS;
  fill_measurement(&each->measurement, step, state == ENERGYKIT__V1__SESSION_STATE__SESSION_STATE_ACTIVE);
  energykit__v1__load_event__init(&each->event);
  each->event.id = each->id;  // kept with the event: a repeated submission is then known as a duplicate
  each->event.timestamp = &each->timestamp;
  each->event.session_id = session->id;
  each->event.session_state = state;
  each->event.identity_case = ENERGYKIT__V1__LOAD_EVENT__IDENTITY_DEVICE;
  each->event.device = &session->device;
  each->event.measurement_case = ENERGYKIT__V1__LOAD_EVENT__MEASUREMENT_ELECTRIC_VEHICLE;
  each->event.electric_vehicle = &each->measurement;
  return true;
}

// A session of ten minutes that ends now: begin, active, end.
static bool fill_session(session *session, guidance *current, const rated_span *best, int64_t now) {
  static const Energykit__V1__SessionState states[SESSION_EVENTS] = {
      ENERGYKIT__V1__SESSION_STATE__SESSION_STATE_BEGIN,
      ENERGYKIT__V1__SESSION_STATE__SESSION_STATE_ACTIVE,
      ENERGYKIT__V1__SESSION_STATE__SESSION_STATE_END,
  };
  int64_t begin = now - (SESSION_EVENTS - 1) * SESSION_STEP_SECONDS;
  if (!ek_make_uuid(session->id)) return false;
  energykit__v1__electrical_load_device__init(&session->device);
  session->device.id = "garage-charger-2";
  session->device.name = "Garage charger";
  session->device.type = ENERGYKIT__V1__DEVICE_TYPE__DEVICE_TYPE_ELECTRIC_VEHICLE;
  for (int step = 0; step < SESSION_EVENTS; step++) {
    session_event *each = &session->events[step];
    if (!fill_event(each, session, states[step], step, begin)) return false;
    each->event.was_following_guidance = best->start <= begin && begin < best->end;
    each->event.guidance_token = current->token;
  }
  return true;
}

// Stores all events or none. Once it has returned true, they are durable; until then, keep them and send them again.
static bool submit(ek_client *client, venue *at, session *session) {
  Energykit__V1__LoadEvent *events[SESSION_EVENTS];
  for (int i = 0; i < SESSION_EVENTS; i++) events[i] = &session->events[i].event;
  Energykit__V1__SubmitLoadEventsRequest request = ENERGYKIT__V1__SUBMIT_LOAD_EVENTS_REQUEST__INIT;
  request.venue_id = at->id;
  request.load_events = events;
  request.n_load_events = SESSION_EVENTS;
  ProtobufCMessage *answer;
  ek_status status;
  if (ek_call(client, &energykit__v1__load_event_service__descriptor, "SubmitLoadEvents", &request.base, &answer,
              CALL_TIMEOUT_MS, &status) != EK_OK) {
    print_failure("SubmitLoadEvents", &status);
    return false;
  }
  const Energykit__V1__SubmitLoadEventsResponse *response = (const Energykit__V1__SubmitLoadEventsResponse *)answer;
  printf("\nCharging session submitted: %" PRId32 " events stored, %" PRId32 " known before\n",
         response->stored_count, response->duplicate_count);
  protobuf_c_message_free_unpacked(answer, NULL);
  return true;
}

// MARK: Main

static bool charge_car(ek_client *client, const char *wanted) {
  static guidance current;
  static session session;
  venue at;
  rated_span best;
  char start[16], end[16];
  if (!find_venue(client, wanted, &at) || !stream_guidance(client, &at, &current)) return false;
  use_time_zone_of(&at);
  print_chart(&current, &at);
  int64_t now = (int64_t)time(NULL);
  if (!find_best(&current, now, &best)) {
    fprintf(stderr, "The guidance does not reach far enough ahead.\n");
    return false;
  }
  printf("\nBest two hours: %s to %s, mean rating %.2f\n", clock_text(best.start, "%a %H:%M", start),
         clock_text(best.end, "%a %H:%M", end), best.rating);
  if (!fill_session(&session, &current, &best, now)) {
    fprintf(stderr, "The system has no randomness.\n");
    return false;
  }
  return submit(client, &at, &session);
}

// The server from the demo's file, unless the command line names all of it.
static bool find_server(const char *demo, const char *address, const char *api_key, demo_file *server) {
  if ((address == NULL || api_key == NULL) && !demo_file_read(demo, server)) {
    fprintf(stderr, "Cannot read %s; start energykitd --demo, or give --address and --api-key.\n", demo);
    return false;
  }
  bool fits = (address == NULL || copy(server->address, sizeof server->address, address)) &&
              (api_key == NULL || copy(server->api_key, sizeof server->api_key, api_key));
  if (!fits) fprintf(stderr, "The address or the key is too long.\n");
  return fits;
}

static bool parse(int count, char **values, arguments *parsed) {
  const char *demo = NULL, *address = NULL, *api_key = NULL;
  for (int i = 1; i < count; i++) {
    const char **target = NULL;
    if (strcmp(values[i], "--address") == 0) target = &address;
    if (strcmp(values[i], "--api-key") == 0) target = &api_key;
    if (strcmp(values[i], "--venue") == 0) target = &parsed->venue;
    if (target != NULL && i + 1 < count) {
      *target = values[++i];
    } else if (target == NULL && values[i][0] != '-' && demo == NULL) {
      demo = values[i];
    } else {
      fprintf(stderr, "usage: charge_car [DEMO.JSON] [--address HOST:PORT] [--api-key KEY] [--venue NAME]\n");
      return false;
    }
  }
  return find_server(demo == NULL ? "demo-data/demo.json" : demo, address, api_key, &parsed->server);
}

int main(int argc, char **argv) {
  arguments parsed = {0};
  if (!parse(argc, argv, &parsed)) return 2;
  ek_options options = {.address = parsed.server.address, .api_key = parsed.server.api_key};
  ek_status status;
  ek_client *client = ek_open(&options, &status);
  if (client == NULL) {
    print_failure("The connection", &status);
    return EXIT_FAILURE;
  }
  bool done = charge_car(client, parsed.venue);
  ek_close(client);
  return done ? EXIT_SUCCESS : EXIT_FAILURE;
}
