// The file that `energykitd --demo` writes: where it listens, and the API key of its first client.
#ifndef DEMO_FILE_H
#define DEMO_FILE_H

#include <stdbool.h>

typedef struct demo_file {
  char address[256];
  char api_key[128];
} demo_file;

// Returns false where the file cannot be read or does not say both.
bool demo_file_read(const char *path, demo_file *file);

#endif
