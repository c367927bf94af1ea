#define _DEFAULT_SOURCE  // getentropy

#include <energykit/energykit.h>
#include <unistd.h>

bool ek_make_uuid(char uuid[37]) {
  static const char digits[] = "0123456789abcdef";
  uint8_t bytes[16];
  if (getentropy(bytes, sizeof bytes) != 0) return false;
  bytes[6] = (uint8_t)((bytes[6] & 0x0F) | 0x40);  // version 4, RFC 9562 §5.4
  bytes[8] = (uint8_t)((bytes[8] & 0x3F) | 0x80);
  size_t at = 0;
  for (size_t i = 0; i < sizeof bytes; i++) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid[at++] = '-';
    uuid[at++] = digits[bytes[i] >> 4];
    uuid[at++] = digits[bytes[i] & 0x0F];
  }
  uuid[at] = '\0';
  return true;
}
