#pragma once

#include <protobuf-c/protobuf-c.h>

// Swift does not import arrays of unknown length.
static inline const char *energykit_protobuf_c_empty_string(void) {
  return protobuf_c_empty_string;
}
