// Written by proto/generate.
#pragma once

#include <stddef.h>
#include <stdint.h>

// A serialised google.protobuf.FileDescriptorSet, each file behind those that it imports.
const uint8_t *energykit_testing_descriptor_set(void);
size_t energykit_testing_descriptor_set_byte_count(void);
