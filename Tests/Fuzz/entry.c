/* libFuzzer's entry for the one target that -DTARGET names; see Tests/Fuzz/Targets. */
#include <stddef.h>
#include <stdint.h>

int TARGET(const uint8_t *data, intptr_t count);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t count) { return TARGET(data, (intptr_t)count); }
