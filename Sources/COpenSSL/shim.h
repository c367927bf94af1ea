// OpenSSL's libcrypto as Cryptography uses it: digests, MACs, key derivation, one cipher, random bytes.

#ifndef COPENSSL_SHIM_H
#define COPENSSL_SHIM_H

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/rand.h>

#endif
