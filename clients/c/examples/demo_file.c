#include "demo_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 65536 };

static const char *skip_space(const char *text) { return text + strspn(text, " \t\r\n"); }

// Finds the first `"key": "value"`. Not a JSON parser: enough for this one file, whose values have no escapes.
static bool find_string(const char *json, const char *key, char *value, size_t value_size) {
  char quoted[64];
  (void)snprintf(quoted, sizeof quoted, "\"%s\"", key);
  for (const char *at = strstr(json, quoted); at != NULL; at = strstr(at + 1, quoted)) {
    const char *next = skip_space(at + strlen(quoted));
    if (*next != ':') continue;
    next = skip_space(next + 1);
    if (*next != '"') continue;
    size_t length = strcspn(next + 1, "\"\\");
    if (next[1 + length] != '"' || length >= value_size) return false;
    memcpy(value, next + 1, length);
    value[length] = '\0';
    return true;
  }
  return false;
}

bool demo_file_read(const char *path, demo_file *file) {
  FILE *stream = fopen(path, "r");
  if (stream == NULL) return false;
  char *json = malloc(FILE_MAX + 1);
  size_t length = json == NULL ? 0 : fread(json, 1, FILE_MAX, stream);
  fclose(stream);
  if (json == NULL) return false;
  json[length] = '\0';
  bool found = find_string(json, "address", file->address, sizeof file->address) &&
               find_string(json, "api_key", file->api_key, sizeof file->api_key);
  free(json);
  return found;
}
