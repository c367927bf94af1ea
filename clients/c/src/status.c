#include "status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "google/rpc/error_details.pb-c.h"
#include "google/rpc/status.pb-c.h"
#include "message.h"

const char *ek_code_name(ek_code code) {
  switch (code) {
    case EK_OK: return "OK";
    case EK_CANCELLED: return "CANCELLED";
    case EK_UNKNOWN: return "UNKNOWN";
    case EK_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case EK_DEADLINE_EXCEEDED: return "DEADLINE_EXCEEDED";
    case EK_NOT_FOUND: return "NOT_FOUND";
    case EK_ALREADY_EXISTS: return "ALREADY_EXISTS";
    case EK_PERMISSION_DENIED: return "PERMISSION_DENIED";
    case EK_RESOURCE_EXHAUSTED: return "RESOURCE_EXHAUSTED";
    case EK_FAILED_PRECONDITION: return "FAILED_PRECONDITION";
    case EK_ABORTED: return "ABORTED";
    case EK_OUT_OF_RANGE: return "OUT_OF_RANGE";
    case EK_UNIMPLEMENTED: return "UNIMPLEMENTED";
    case EK_INTERNAL: return "INTERNAL";
    case EK_UNAVAILABLE: return "UNAVAILABLE";
    case EK_DATA_LOSS: return "DATA_LOSS";
    case EK_UNAUTHENTICATED: return "UNAUTHENTICATED";
  }
  return "UNKNOWN";
}

// Cuts a text at `size` - 1 bytes, before a UTF-8 character rather than within it.
static void copy_text(char *target, size_t size, const char *text) {
  size_t length = strlen(text);
  if (length >= size) {
    length = size - 1;
    while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) length--;
  }
  memcpy(target, text, length);
  target[length] = '\0';
}

ek_code ek_status_set(ek_status *status, ek_code code, const char *message) {
  memset(status, 0, sizeof *status);
  status->code = code;
  status->retry_after_ms = -1;
  copy_text(status->message, sizeof status->message, message);
  return code;
}

ek_code ek_code_of_text(const uint8_t *text, size_t length) {
  if (length == 0 || length > 2) return EK_UNKNOWN;
  int number = 0;
  for (size_t i = 0; i < length; i++) {
    if (text[i] < '0' || text[i] > '9') return EK_UNKNOWN;
    number = number * 10 + (text[i] - '0');
  }
  return number <= EK_UNAUTHENTICATED ? (ek_code)number : EK_UNKNOWN;
}

ek_code ek_code_of_http(int http_status) {
  switch (http_status) {
    case 400: return EK_INTERNAL;
    case 401: return EK_UNAUTHENTICATED;
    case 403: return EK_PERMISSION_DENIED;
    case 404: return EK_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504: return EK_UNAVAILABLE;
    default: return EK_UNKNOWN;
  }
}

ek_code ek_code_of_reset(uint32_t error_code) {
  switch (error_code) {
    case 0x7: return EK_UNAVAILABLE;         // REFUSED_STREAM
    case 0x8: return EK_CANCELLED;           // CANCEL
    case 0xb: return EK_RESOURCE_EXHAUSTED;  // ENHANCE_YOUR_CALM
    case 0xc: return EK_PERMISSION_DENIED;   // INADEQUATE_SECURITY
    default: return EK_INTERNAL;
  }
}

static int hex_digit(uint8_t byte) {
  if (byte >= '0' && byte <= '9') return byte - '0';
  if (byte >= 'A' && byte <= 'F') return byte - 'A' + 10;
  if (byte >= 'a' && byte <= 'f') return byte - 'a' + 10;
  return -1;
}

void ek_status_set_encoded_message(ek_status *status, const uint8_t *text, size_t length) {
  char decoded[2 * sizeof status->message];
  size_t count = 0;
  for (size_t i = 0; i < length && count < sizeof decoded - 1; i++) {
    int high = i + 2 < length && text[i] == '%' ? hex_digit(text[i + 1]) : -1;
    int low = high >= 0 ? hex_digit(text[i + 2]) : -1;
    if (low >= 0) i += 2;
    uint8_t byte = low >= 0 ? (uint8_t)(high * 16 + low) : text[i];
    decoded[count++] = byte == 0 ? ' ' : (char)byte;
  }
  decoded[count] = '\0';
  copy_text(status->message, sizeof status->message, decoded);
}

static int base64_digit(uint8_t byte) {
  if (byte >= 'A' && byte <= 'Z') return byte - 'A';
  if (byte >= 'a' && byte <= 'z') return byte - 'a' + 26;
  if (byte >= '0' && byte <= '9') return byte - '0' + 52;
  if (byte == '+') return 62;
  if (byte == '/') return 63;
  return -1;
}

// Decodes base64, padded or not, into `bytes`, which holds at least length * 3 / 4. Returns false where it is none.
static bool decode_base64(const uint8_t *text, size_t length, uint8_t *bytes, size_t *count) {
  uint32_t bits = 0;
  unsigned held = 0;
  *count = 0;
  while (length > 0 && text[length - 1] == '=') length--;
  for (size_t i = 0; i < length; i++) {
    int digit = base64_digit(text[i]);
    if (digit < 0) return false;
    bits = bits << 6 | (uint32_t)digit;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes[(*count)++] = (uint8_t)(bits >> held);
    bits &= (1U << held) - 1;
  }
  return held < 6;
}

static void add_error_info(ek_status *status, const Google__Rpc__ErrorInfo *info) {
  copy_text(status->reason, sizeof status->reason, info->reason);
  char line[sizeof status->metadata] = "";
  for (size_t i = 0; i < info->n_metadata; i++) {
    const Google__Rpc__ErrorInfo__MetadataEntry *entry = info->metadata[i];
    if (strcmp(entry->key, "violations") == 0) {
      unsigned long long count = strtoull(entry->value, NULL, 10);
      if (count <= SIZE_MAX && count > status->violation_count) status->violation_count = (size_t)count;
    }
    size_t used = strlen(line);
    (void)snprintf(line + used, sizeof line - used, "%s%s: %s", used > 0 ? ", " : "", entry->key, entry->value);
  }
  copy_text(status->metadata, sizeof status->metadata, line);
}

static void add_bad_request(ek_status *status, const Google__Rpc__BadRequest *request) {
  if (request->n_field_violations > status->violation_count) status->violation_count = request->n_field_violations;
  for (size_t i = 0; i < request->n_field_violations && status->violations_kept < EK_VIOLATIONS_KEPT; i++) {
    const Google__Rpc__BadRequest__FieldViolation *from = request->field_violations[i];
    ek_violation *to = &status->violations[status->violations_kept++];
    copy_text(to->field, sizeof to->field, from->field);
    copy_text(to->reason, sizeof to->reason, from->reason);
    copy_text(to->description, sizeof to->description, from->description);
  }
}

static void add_retry_info(ek_status *status, const Google__Rpc__RetryInfo *info) {
  const Google__Protobuf__Duration *delay = info->retry_delay;
  if (delay == NULL || delay->seconds < 0 || delay->seconds > 86400 * 365) return;
  status->retry_after_ms = delay->seconds * 1000 + delay->nanos / 1000000;
}

// The detail's message, if it is one of `type`.
static ProtobufCMessage *unpack_detail(const Google__Protobuf__Any *detail, const ProtobufCMessageDescriptor *type) {
  const char *slash = strrchr(detail->type_url, '/');
  const char *name = slash == NULL ? detail->type_url : slash + 1;
  return strcmp(name, type->name) == 0 ? ek_unpack(type, detail->value.data, detail->value.len) : NULL;
}

static void add_detail(ek_status *status, const Google__Protobuf__Any *detail) {
  ProtobufCMessage *message;
  if ((message = unpack_detail(detail, &google__rpc__error_info__descriptor)) != NULL) {
    add_error_info(status, (const Google__Rpc__ErrorInfo *)message);
  } else if ((message = unpack_detail(detail, &google__rpc__bad_request__descriptor)) != NULL) {
    add_bad_request(status, (const Google__Rpc__BadRequest *)message);
  } else if ((message = unpack_detail(detail, &google__rpc__retry_info__descriptor)) != NULL) {
    add_retry_info(status, (const Google__Rpc__RetryInfo *)message);
  }
  if (message != NULL) protobuf_c_message_free_unpacked(message, NULL);
}

void ek_status_add_details(ek_status *status, const uint8_t *text, size_t length) {
  uint8_t *bytes = malloc(length * 3 / 4 + 1);
  if (bytes == NULL) return;
  size_t count = 0;
  ProtobufCMessage *message = NULL;
  if (decode_base64(text, length, bytes, &count)) {
    message = ek_unpack(&google__rpc__status__descriptor, bytes, count);
  }
  free(bytes);
  if (message == NULL) return;
  const Google__Rpc__Status *details = (const Google__Rpc__Status *)message;
  for (size_t i = 0; i < details->n_details; i++) add_detail(status, details->details[i]);
  protobuf_c_message_free_unpacked(message, NULL);
}
