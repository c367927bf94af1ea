#pragma once

#include <getopt.h>

// Swift's Glibc module leaves out getopt.h, and getopt's place in the arguments is a global variable, which Swift 6 does
// not let anyone touch.

/// The index of the next argument to be looked at.
static inline int energykit_getopt_place(void) { return optind > 0 ? optind : 1; }

/// Starts anew, without messages on standard error. 0 has glibc forget how the flags before were read.
static inline void energykit_getopt_reset(void) {
  opterr = 0;
  optind = 0;
}

/// The value of the flag found last, or NULL.
static inline const char *energykit_getopt_value(void) { return optarg; }
