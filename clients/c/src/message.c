#include "message.h"

#include <stdlib.h>
#include <string.h>

// Memory from malloc, so that the default allocator can free it later, until the budget is used up.
typedef struct budget {
  size_t left;
} budget;

static void *budget_alloc(void *context, size_t size) {
  budget *budget = context;
  if (size > budget->left) return NULL;
  budget->left -= size;
  return malloc(size == 0 ? 1 : size);
}

static void budget_free(void *context, void *pointer) {
  (void)context;
  free(pointer);
}

ProtobufCMessage *ek_unpack(const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t length) {
  if (length > (SIZE_MAX - 16384) / 16) return NULL;
  budget budget = {.left = 16 * length + 16384};
  ProtobufCAllocator allocator = {.alloc = budget_alloc, .free = budget_free, .allocator_data = &budget};
  return protobuf_c_message_unpack(type, &allocator, length, bytes);
}

uint8_t *ek_pack(const ProtobufCMessage *message, size_t *length) {
  size_t size = protobuf_c_message_get_packed_size(message);
  if (size > UINT32_MAX - EK_PREFIX_LENGTH) return NULL;
  uint8_t *bytes = malloc(EK_PREFIX_LENGTH + size);
  if (bytes == NULL) return NULL;
  bytes[0] = 0;
  bytes[1] = (uint8_t)(size >> 24);
  bytes[2] = (uint8_t)(size >> 16);
  bytes[3] = (uint8_t)(size >> 8);
  bytes[4] = (uint8_t)size;
  protobuf_c_message_pack(message, bytes + EK_PREFIX_LENGTH);
  *length = EK_PREFIX_LENGTH + size;
  return bytes;
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

// The prefix is complete: makes room for what it announces.
static ek_assembly begin_message(ek_assembler *assembler) {
  const uint8_t *prefix = assembler->prefix;
  if (prefix[0] != 0) return EK_ASSEMBLY_COMPRESSED;
  assembler->message_length =
      (size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 8 | (size_t)prefix[4];
  if (assembler->message_length > assembler->limit) return EK_ASSEMBLY_TOO_LONG;
  free(assembler->message);
  assembler->message_received = 0;
  assembler->message = malloc(assembler->message_length + 1);
  return assembler->message == NULL ? EK_ASSEMBLY_NO_MEMORY : EK_ASSEMBLY_NEEDS_MORE;
}

ek_assembly ek_assemble(ek_assembler *assembler, const uint8_t **bytes, size_t *length) {
  if (assembler->prefix_received < EK_PREFIX_LENGTH) {
    size_t count = smaller(EK_PREFIX_LENGTH - assembler->prefix_received, *length);
    memcpy(assembler->prefix + assembler->prefix_received, *bytes, count);
    assembler->prefix_received += count;
    *bytes += count;
    *length -= count;
    if (assembler->prefix_received < EK_PREFIX_LENGTH) return EK_ASSEMBLY_NEEDS_MORE;
    ek_assembly begun = begin_message(assembler);
    if (begun != EK_ASSEMBLY_NEEDS_MORE) return begun;
  }
  size_t count = smaller(assembler->message_length - assembler->message_received, *length);
  memcpy(assembler->message + assembler->message_received, *bytes, count);
  assembler->message_received += count;
  *bytes += count;
  *length -= count;
  if (assembler->message_received < assembler->message_length) return EK_ASSEMBLY_NEEDS_MORE;
  assembler->prefix_received = 0;
  return EK_ASSEMBLY_COMPLETE;
}

bool ek_assembler_is_partial(const ek_assembler *assembler) { return assembler->prefix_received > 0; }

void ek_assembler_free(ek_assembler *assembler) {
  free(assembler->message);
  assembler->message = NULL;
}
