// gRPC messages: a flag, four bytes of length, then protobuf.
#ifndef EK_MESSAGE_H
#define EK_MESSAGE_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EK_PREFIX_LENGTH = 5 };

// Decodes with a bound on memory: 16 times the length and 16 KiB. NULL where the bytes are no such message or need
// more. The result is freed with protobuf_c_message_free_unpacked(message, NULL).
ProtobufCMessage *ek_unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t length);

// The message with its prefix, in one allocation of `*length` bytes. NULL where memory is short or it is too long.
uint8_t *ek_pack(const ProtobufCMessage *message, size_t *length);

// Puts messages together from pieces of any size.
typedef struct ek_assembler {
  size_t limit;  // longest message
  uint8_t prefix[EK_PREFIX_LENGTH];
  size_t prefix_received;
  uint8_t *message;
  size_t message_length;
  size_t message_received;
} ek_assembler;

typedef enum ek_assembly {
  EK_ASSEMBLY_NEEDS_MORE,
  EK_ASSEMBLY_COMPLETE,  // message, message_length are valid until the next call
  EK_ASSEMBLY_TOO_LONG,
  EK_ASSEMBLY_COMPRESSED,
  EK_ASSEMBLY_NO_MEMORY,
} ek_assembly;

// Takes bytes, up to the end of a message, and moves `*bytes` and `*length` on.
ek_assembly ek_assemble(ek_assembler *assembler, const uint8_t **bytes, size_t *length);
// Whether a message was begun and not completed.
bool ek_assembler_is_partial(const ek_assembler *assembler);
void ek_assembler_free(ek_assembler *assembler);

#endif
