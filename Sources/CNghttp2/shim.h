// nghttp2 as it is. Error codes and flags are C enums, which arrive in Swift as structs; the few that callbacks return
// are given as integers here, so that each is written once.
#ifndef ENERGYKIT_CNGHTTP2_SHIM_H
#define ENERGYKIT_CNGHTTP2_SHIM_H

#include <nghttp2/nghttp2.h>
// malloc_usable_size, which Swift's Glibc does not have.
#include <malloc.h>

static const int energykit_nghttp2_callback_failure = NGHTTP2_ERR_CALLBACK_FAILURE;
static const int energykit_nghttp2_temporal_failure = NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
static const int energykit_nghttp2_deferred = NGHTTP2_ERR_DEFERRED;
static const int energykit_nghttp2_cancel = NGHTTP2_ERR_CANCEL;
static const int energykit_nghttp2_bad_client_magic = NGHTTP2_ERR_BAD_CLIENT_MAGIC;

#endif
