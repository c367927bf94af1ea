// C client of the EnergyKit server: gRPC over HTTP/2 in the clear, on nghttp2 and protobuf-c.
//
// Blocking calls over one connection; a client belongs to one thread at a time and carries one call at a time. Whoever
// streams guidance and submits events side by side opens two clients. Nothing is allocated without a bound, no signal
// is raised, and every function that can fail says so in its result.
#ifndef ENERGYKIT_ENERGYKIT_H
#define ENERGYKIT_ENERGYKIT_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// The status codes of gRPC; the numbers are the wire's.
typedef enum ek_code {
  EK_OK = 0,
  EK_CANCELLED = 1,
  EK_UNKNOWN = 2,
  EK_INVALID_ARGUMENT = 3,
  EK_DEADLINE_EXCEEDED = 4,
  EK_NOT_FOUND = 5,
  EK_ALREADY_EXISTS = 6,
  EK_PERMISSION_DENIED = 7,
  EK_RESOURCE_EXHAUSTED = 8,
  EK_FAILED_PRECONDITION = 9,
  EK_ABORTED = 10,
  EK_OUT_OF_RANGE = 11,
  EK_UNIMPLEMENTED = 12,
  EK_INTERNAL = 13,
  EK_UNAVAILABLE = 14,
  EK_DATA_LOSS = 15,
  EK_UNAUTHENTICATED = 16,
} ek_code;

// The code's name as in the documentation of gRPC, for example "NOT_FOUND". Never NULL.
const char *ek_code_name(ek_code code);

enum { EK_VIOLATIONS_KEPT = 8 };

// One fault of a request. Texts that are too long are cut.
typedef struct ek_violation {
  char field[128];       // a path, for example load_events[3].guidance_token
  char reason[48];       // machine-readable, for example UNKNOWN_GUIDANCE_TOKEN; "" where the server gives none
  char description[192]; // for a person
} ek_violation;

// How a call ended. About 3.5 KiB, no pointers: copy it, keep it, forget it.
typedef struct ek_status {
  ek_code code;
  char message[256];
  char reason[64];         // why, machine-readable, for example VENUE_UNAVAILABLE; "" where the server did not say
  char metadata[256];      // more facts, "region: HIOA, violations: 3"
  int64_t retry_after_ms;  // -1: the server does not ask for a retry
  size_t violation_count;  // faults of the request, all of them
  size_t violations_kept;  // how many of those stand below
  ek_violation violations[EK_VIOLATIONS_KEPT];
} ek_status;

typedef struct ek_options {
  const char *address;         // "127.0.0.1:50051", "[::1]:50051", "host:50051" or "unix:/path"
  const char *api_key;         // "ek_..."
  uint32_t connect_timeout_ms; // 0: 10 s
  size_t max_message_bytes;    // of an answer; 0: 1 MiB. Decoded, it may take 16 times as much.
} ek_options;

typedef struct ek_client ek_client;

// Connects. The options are copied. Returns NULL, with the cause in `status`, where no connection could be made.
ek_client *ek_open(const ek_options *options, ek_status *status);

// Ends the connection and frees the client. NULL is allowed.
void ek_close(ek_client *client);

// Calls a method that takes one message and answers with one.
//
//   service, method   for example &energykit__v1__load_event_service__descriptor, "SubmitLoadEvents"
//   request           &message.base, of the method's type
//   response          where the answer goes if the result is EK_OK, else NULL; of the method's type, to be freed with
//                     protobuf_c_message_free_unpacked(response, NULL)
//   timeout_ms        0: none
//
// A connection that has ended since the last call is made again, once. A call that fails with EK_UNAVAILABLE or
// EK_DEADLINE_EXCEEDED may have been carried out: send the same events, with the same ids, again.
ek_code ek_call(ek_client *client, const ProtobufCServiceDescriptor *service, const char *method,
                const ProtobufCMessage *request, ProtobufCMessage **response, uint32_t timeout_ms, ek_status *status);

// Takes one message of a stream; it is freed afterwards. Returns whether to go on. Must not call the same client.
typedef bool (*ek_message_handler)(const ProtobufCMessage *message, void *context);

// Calls a method that takes one message and answers with a stream. Returns when the server has ended the stream, the
// time is over (0: no limit), the connection is lost, or `handler` wants no more; the last is EK_OK.
ek_code ek_stream(ek_client *client, const ProtobufCServiceDescriptor *service, const char *method,
                  const ProtobufCMessage *request, ek_message_handler handler, void *context, uint32_t timeout_ms,
                  ek_status *status);

// Writes a random UUID (version 4), for ids of events and sessions. Returns false where the system has no randomness.
bool ek_make_uuid(char uuid[37]);

#ifdef __cplusplus
}
#endif

#endif
