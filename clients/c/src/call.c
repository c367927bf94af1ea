#include "call.h"

#include <stdio.h>
#include <string.h>

#include "status.h"

void ek_call_fail(ek_call_state *call, ek_code code, const char *cause) {
  if (call->failed) return;
  call->failed = true;
  call->failure_code = code;
  (void)snprintf(call->failure, sizeof call->failure, "%s", cause);
}

static bool equals(const uint8_t *name, size_t length, const char *wanted) {
  return length == strlen(wanted) && memcmp(name, wanted, length) == 0;
}

static int three_digits(const uint8_t *text, size_t length) {
  int number = 0;
  if (length != 3) return -1;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return -1;
    number = number * 10 + (text[i] - '0');
  }
  return number;
}

void ek_call_add_header(ek_call_state *call, const uint8_t *name, size_t name_length, const uint8_t *value,
                        size_t value_length) {
  if (equals(name, name_length, ":status")) {
    call->http_status = three_digits(value, value_length);
  } else if (equals(name, name_length, "content-type")) {
    call->is_grpc = value_length >= 16 && memcmp(value, "application/grpc", 16) == 0;
  } else if (equals(name, name_length, "grpc-status")) {
    call->has_code = true;
    call->code = ek_code_of_text(value, value_length);
  } else if (equals(name, name_length, "grpc-message")) {
    call->message_text_length = value_length < EK_MESSAGE_TEXT_MAX ? value_length : EK_MESSAGE_TEXT_MAX;
    memcpy(call->message_text, value, call->message_text_length);
  } else if (equals(name, name_length, "grpc-status-details-bin") && value_length <= EK_DETAILS_TEXT_MAX) {
    call->details_text_length = value_length;
    memcpy(call->details_text, value, value_length);
  }
}

static void take_message(ek_call_state *call) {
  ProtobufCMessage *message =
      ek_unpack(call->response_type, call->assembler.message, call->assembler.message_length);
  if (message == NULL) {
    ek_call_fail(call, EK_INTERNAL, "an answer cannot be decoded, or needs too much memory");
  } else if (!call->take(message, call->context)) {
    call->stopped = true;
  }
}

void ek_call_add_data(ek_call_state *call, const uint8_t *bytes, size_t length) {
  while (length > 0 && !call->failed && !call->stopped) {
    switch (ek_assemble(&call->assembler, &bytes, &length)) {
      case EK_ASSEMBLY_NEEDS_MORE: break;
      case EK_ASSEMBLY_COMPLETE: take_message(call); break;
      case EK_ASSEMBLY_TOO_LONG:
        ek_call_fail(call, EK_RESOURCE_EXHAUSTED, "an answer is longer than max_message_bytes");
        break;
      case EK_ASSEMBLY_COMPRESSED:
        ek_call_fail(call, EK_INTERNAL, "an answer is compressed, which was not asked for");
        break;
      case EK_ASSEMBLY_NO_MEMORY: ek_call_fail(call, EK_RESOURCE_EXHAUSTED, "out of memory"); break;
    }
  }
}

bool ek_call_is_over(const ek_call_state *call) {
  return call->failed || call->stopped || call->ended || call->closed;
}

ek_code ek_call_finish(const ek_call_state *call, ek_status *status) {
  if (call->failed) return ek_status_set(status, call->failure_code, call->failure);
  if (call->stopped) return ek_status_set(status, EK_OK, "");
  if (!call->has_code && call->reset_code != 0) {
    return ek_status_set(status, ek_code_of_reset(call->reset_code), "the server has reset the call");
  }
  if (!call->has_code && call->http_status != 200) {
    return ek_status_set(status, ek_code_of_http(call->http_status), "the answer is not one of gRPC");
  }
  if (!call->is_grpc) return ek_status_set(status, EK_UNKNOWN, "the answer is not one of gRPC");
  if (!call->has_code) return ek_status_set(status, EK_INTERNAL, "the call ended without a status");
  if (call->code == EK_OK && ek_assembler_is_partial(&call->assembler)) {
    return ek_status_set(status, EK_INTERNAL, "the call ended within a message");
  }
  ek_status_set(status, call->code, "");
  ek_status_set_encoded_message(status, call->message_text, call->message_text_length);
  if (call->code != EK_OK) ek_status_add_details(status, call->details_text, call->details_text_length);
  return call->code;
}
