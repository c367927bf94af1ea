#pragma once

// The functions without `_r` share a state between threads.
#define GEOS_USE_ONLY_R_API
#include <geos_c.h>

// Swift does not import variadic function pointers; errors are told by what the functions return.
static inline GEOSContextHandle_t energykit_geos_start(void) { return GEOS_init_r(); }

// Calls with `place`, a pair of factors, for each coordinate: degrees become kilometres.
static inline int energykit_geos_scale(double *x, double *y, void *factors) {
  *x *= ((double *)factors)[0];
  *y *= ((double *)factors)[1];
  return 1;
}
