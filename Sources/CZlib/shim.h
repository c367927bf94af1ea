#pragma once

#include <zlib.h>

// Swift does not import these, which are macros.
static inline int energykit_inflate_init(z_stream *stream, int window_bits) {
  return inflateInit2(stream, window_bits);
}

static inline int energykit_deflate_init(z_stream *stream, int level, int window_bits, int memory_level) {
  return deflateInit2(stream, level, Z_DEFLATED, window_bits, memory_level, Z_DEFAULT_STRATEGY);
}
