// A byte stream to the server: TCP or a unix socket, never blocking but in `ek_transport_connect` and
// `ek_transport_wait`, which have time limits.
#ifndef EK_TRANSPORT_H
#define EK_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// A moment on the monotonic clock, in milliseconds; INT64_MAX: never.
int64_t ek_now_ms(void);
// `timeout_ms` from now; 0: never.
int64_t ek_deadline_after(uint32_t timeout_ms);

// Connects to `address` by `deadline`. Returns the descriptor, or -1 and a cause in `cause`.
int ek_transport_connect(const char *address, int64_t deadline, char *cause, size_t cause_size);

// Both return the number of bytes moved, 0 where none can be moved now, -1 where the connection is lost (also when the
// peer has ended it).
ssize_t ek_transport_send(int fd, const uint8_t *bytes, size_t length);
ssize_t ek_transport_receive(int fd, uint8_t *bytes, size_t length);

// Waits until the descriptor can be read (or written, if `for_writing`). Returns false when `deadline` has passed.
bool ek_transport_wait(int fd, bool for_writing, int64_t deadline);
// Whether there is something to read now, the end of the connection included.
bool ek_transport_is_readable(int fd);

#endif
