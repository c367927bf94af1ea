// One call: what is sent, what has come back so far, and how it ended. No I/O.
#ifndef EK_CALL_H
#define EK_CALL_H

#include <energykit/energykit.h>

#include "message.h"

// The server keeps its trailers within 7 KiB, base64 included (a third more than what it encodes).
enum { EK_MESSAGE_TEXT_MAX = 1024, EK_DETAILS_TEXT_MAX = 12288 };

// Takes a decoded message, which becomes its own. Returns whether to go on.
typedef bool (*ek_taker)(ProtobufCMessage *message, void *context);

typedef struct ek_call_state {
  int32_t stream_id;

  const uint8_t *request;  // with prefix
  size_t request_length;
  size_t request_sent;

  const ProtobufCMessageDescriptor *response_type;
  ek_assembler assembler;
  ek_taker take;
  void *context;

  int http_status;  // 0: not yet known
  bool is_grpc;     // by its content type
  bool has_code;    // grpc-status has come
  ek_code code;
  uint8_t message_text[EK_MESSAGE_TEXT_MAX];
  size_t message_text_length;
  uint8_t details_text[EK_DETAILS_TEXT_MAX];
  size_t details_text_length;

  bool stopped;  // `take` wants no more
  bool failed;   // we gave up: `failure` says why
  ek_code failure_code;
  char failure[128];
  bool ended;   // the server has sent its last frame of the call
  bool closed;  // HTTP/2 has forgotten the stream
  uint32_t reset_code;
} ek_call_state;

// We give up; the first cause counts.
void ek_call_fail(ek_call_state *call, ek_code code, const char *cause);
// A header or trailer has come.
void ek_call_add_header(ek_call_state *call, const uint8_t *name, size_t name_length, const uint8_t *value,
                        size_t value_length);
// Bytes of the answer have come.
void ek_call_add_data(ek_call_state *call, const uint8_t *bytes, size_t length);
// Whether nothing more is to be done for it.
bool ek_call_is_over(const ek_call_state *call);
// How it ended, once it is over.
ek_code ek_call_finish(const ek_call_state *call, ek_status *status);

#endif
