#ifndef ULS_DIGESTS_H
#define ULS_DIGESTS_H

#include <stddef.h>
#include <stdint.h>

// Digests that the BoringSSL inside swift-crypto computes and swift-crypto doesn't offer. Whatever links the module Crypto links them.

enum { ULS_MD4_LENGTH = 16, ULS_SHA512_256_LENGTH = 32 };

/// MD4 (RFC 1320) of `length` bytes, ULS_MD4_LENGTH bytes to `digest`.
void uls_md4(const uint8_t *data, size_t length, uint8_t *digest);

/// A SHA-512/256 (FIPS 180-4, 6.7) of no bytes yet; freed by uls_sha512_256_free.
void *uls_sha512_256_new(void);
/// Another with the same bytes.
void *uls_sha512_256_copy(const void *context);
void uls_sha512_256_update(void *context, const uint8_t *data, size_t length);
/// ULS_SHA512_256_LENGTH bytes to `digest`; `context` takes no more bytes.
void uls_sha512_256_finish(void *context, uint8_t *digest);
void uls_sha512_256_free(void *context);

#endif
