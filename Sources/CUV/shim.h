#ifndef CUV_SHIM_H
#define CUV_SHIM_H

#include <pthread.h>
#include <sys/socket.h>

#include <uv.h>

// The C library declares these under _GNU_SOURCE only, which Swift's own import of it does not set.
int cuv_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) __asm__("accept4");
int cuv_pthread_setname_np(pthread_t thread, const char *name) __asm__("pthread_setname_np");

#endif
