// Tests of what the client does without a connection. Prints what fails; the exit code is the number of failures.
#include <energykit/energykit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "energykit/v1/venue.pb-c.h"
#include "google/protobuf/timestamp.pb-c.h"
#include "../src/message.h"
#include "../src/status.h"

static int failures = 0;

static void expect(bool holds, const char *what, int line) {
  if (holds) return;
  failures++;
  printf("line %d: %s\n", line, what);
}
#define EXPECT(condition) expect(condition, #condition, __LINE__)

static const uint8_t *bytes_of(const char *text) { return (const uint8_t *)text; }

static void test_codes(void) {
  EXPECT(ek_code_of_text(bytes_of("0"), 1) == EK_OK);
  EXPECT(ek_code_of_text(bytes_of("16"), 2) == EK_UNAUTHENTICATED);
  EXPECT(ek_code_of_text(bytes_of("17"), 2) == EK_UNKNOWN);
  EXPECT(ek_code_of_text(bytes_of("-1"), 2) == EK_UNKNOWN);
  EXPECT(ek_code_of_text(bytes_of(""), 0) == EK_UNKNOWN);
  EXPECT(ek_code_of_text(bytes_of("999"), 3) == EK_UNKNOWN);
  EXPECT(ek_code_of_http(503) == EK_UNAVAILABLE);
  EXPECT(ek_code_of_reset(7) == EK_UNAVAILABLE);
  EXPECT(strcmp(ek_code_name((ek_code)99), "UNKNOWN") == 0);
}

static void test_messages(void) {
  ek_status status;
  ek_status_set(&status, EK_NOT_FOUND, "");
  ek_status_set_encoded_message(&status, bytes_of("a%20b%E2%82%AC%zz%4"), 19);
  EXPECT(strcmp(status.message, "a b\xE2\x82\xAC%zz%4") == 0);
  ek_status_set_encoded_message(&status, bytes_of("%00x"), 4);
  EXPECT(strcmp(status.message, " x") == 0);

  // Cut before a character, not within it.
  char text[600];
  for (size_t i = 0; i + 3 <= sizeof text - 1; i += 3) memcpy(text + i, "\xE2\x82\xAC", 3);
  text[597] = '\0';
  ek_status_set(&status, EK_UNKNOWN, text);
  EXPECT(strlen(status.message) == 255 - 255 % 3);
}

// A google.rpc.Status with ErrorInfo, BadRequest and RetryInfo, made by protobuf for Python.
static const char *const details =
    "CAMSA2JhZBptCih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuRXJyb3JJbmZvEkEKEklOVkFMSURfTE9BRF9FVkVOVBIJZW5lcmd5a2l0"
    "Gg4KBnJlZ2lvbhIEQ0lTTxoQCgp2aW9sYXRpb25zEgI0MhphCil0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMuQmFkUmVxdWVzdBI0CjIK"
    "EWxvYWRfZXZlbnRzWzFdLmlkEhJNQUxGT1JNRUQ6IG5vIFVVSUQaCU1BTEZPUk1FRBo2Cih0eXBlLmdvb2dsZWFwaXMuY29tL2dvb2dsZS5ycGMu"
    "UmV0cnlJbmZvEgoKCAgHEIDKte4B";

static void test_details(void) {
  ek_status status;
  ek_status_set(&status, EK_INVALID_ARGUMENT, "bad");
  ek_status_add_details(&status, bytes_of("A==="), 4);  // not whole
  ek_status_add_details(&status, bytes_of("****"), 4);  // not base64
  EXPECT(status.reason[0] == '\0' && status.violation_count == 0 && status.retry_after_ms == -1);
  ek_status_add_details(&status, bytes_of(details), strlen(details));
  EXPECT(strcmp(status.reason, "INVALID_LOAD_EVENT") == 0);
  EXPECT(strcmp(status.metadata, "region: CISO, violations: 42") == 0);
  EXPECT(status.violation_count == 42 && status.violations_kept == 1);
  EXPECT(strcmp(status.violations[0].field, "load_events[1].id") == 0);
  EXPECT(strcmp(status.violations[0].reason, "MALFORMED") == 0);
  EXPECT(strcmp(status.violations[0].description, "MALFORMED: no UUID") == 0);
  EXPECT(status.retry_after_ms == 7500);
  // Any prefix, and any change of one character: never a crash, never more than fits.
  size_t length = strlen(details);
  char *copy = malloc(length + 1);
  if (copy == NULL) abort();
  for (size_t i = 0; i <= length; i++) {
    ek_status_set(&status, EK_INVALID_ARGUMENT, "bad");
    ek_status_add_details(&status, bytes_of(details), i);
    memcpy(copy, details, length + 1);
    copy[i == length ? 0 : i] = 'z';
    ek_status_add_details(&status, bytes_of(copy), length);
    EXPECT(status.violations_kept <= EK_VIOLATIONS_KEPT);
  }
  free(copy);
}

static void test_assembly(void) {
  const uint8_t stream[] = {0, 0, 0, 0, 3, 'a', 'b', 'c', 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 'd'};
  for (size_t step = 1; step <= sizeof stream; step++) {
    ek_assembler assembler = {.limit = 3};
    size_t complete = 0, total = 0;
    for (size_t at = 0; at < sizeof stream; at += step) {
      const uint8_t *bytes = stream + at;
      size_t length = sizeof stream - at < step ? sizeof stream - at : step;
      while (length > 0) {
        if (ek_assemble(&assembler, &bytes, &length) != EK_ASSEMBLY_COMPLETE) continue;
        complete++;
        total += assembler.message_length;
      }
    }
    EXPECT(complete == 3 && total == 4 && !ek_assembler_is_partial(&assembler));
    ek_assembler_free(&assembler);
  }
  const uint8_t *bytes = stream;
  size_t length = sizeof stream;
  ek_assembler small = {.limit = 2};
  EXPECT(ek_assemble(&small, &bytes, &length) == EK_ASSEMBLY_TOO_LONG);
  ek_assembler_free(&small);
  const uint8_t compressed[] = {1, 0, 0, 0, 0};
  bytes = compressed;
  length = sizeof compressed;
  ek_assembler other = {.limit = 2};
  EXPECT(ek_assemble(&other, &bytes, &length) == EK_ASSEMBLY_COMPRESSED);
  ek_assembler_free(&other);
}

static void test_unpacking_is_bounded(void) {
  enum { VENUES = 2000 };
  uint8_t *bytes = malloc(2 * VENUES);
  if (bytes == NULL) abort();
  for (size_t i = 0; i < VENUES; i++) memcpy(bytes + 2 * i, "\x0a\x00", 2);  // an empty venue each
  EXPECT(ek_unpack(&energykit__v1__list_venues_response__descriptor, bytes, 2 * VENUES) == NULL);
  ProtobufCMessage *few = ek_unpack(&energykit__v1__list_venues_response__descriptor, bytes, 2 * 50);
  EXPECT(few != NULL);
  if (few != NULL) protobuf_c_message_free_unpacked(few, NULL);
  free(bytes);
}

static void test_packing(void) {
  Google__Protobuf__Timestamp timestamp = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
  timestamp.seconds = 5;
  size_t length = 0;
  uint8_t *bytes = ek_pack(&timestamp.base, &length);
  EXPECT(bytes != NULL && length == 7 && memcmp(bytes, "\0\0\0\0\2\x08\x05", 7) == 0);
  free(bytes);
}

static void test_uuids(void) {
  char a[37], b[37];
  EXPECT(ek_make_uuid(a) && ek_make_uuid(b));
  EXPECT(strlen(a) == 36 && strcmp(a, b) != 0 && a[14] == '4' && strchr("89ab", a[19]) != NULL);
}

int main(void) {
  test_codes();
  test_messages();
  test_details();
  test_assembly();
  test_unpacking_is_bounded();
  test_packing();
  test_uuids();
  if (failures == 0) printf("all tests passed\n");
  return failures;
}
