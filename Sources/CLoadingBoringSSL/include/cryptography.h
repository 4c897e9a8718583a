#ifndef ULS_BORING_SSL_CRYPTOGRAPHY_H
#define ULS_BORING_SSL_CRYPTOGRAPHY_H

#include <stddef.h>
#include <stdint.h>

// Hash functions, HMAC, and AES-256-GCM, by the BoringSSL inside NIOSSL. Targets that link this one link NIOSSL as well.

enum { ULS_DIGEST_MAXIMUM = 64, ULS_SEAL_KEY = 32, ULS_SEAL_NONCE = 12, ULS_SEAL_TAG = 16 };

/// The supported hash functions.
typedef enum {
  ULS_MD4,
  ULS_MD5,
  ULS_SHA1,
  ULS_SHA256,
  ULS_SHA384,
  ULS_SHA512,
  ULS_SHA512_256,
} uls_hash;

/// The length of the function's digests in bytes, at most ULS_DIGEST_MAXIMUM.
size_t uls_hash_length(uls_hash function);

/// Creates the context of a hash computation, which has to be freed by uls_hash_free.
void *uls_hash_new(uls_hash function);
/// Creates a second context with the same bytes hashed so far, to be freed by uls_hash_free.
void *uls_hash_copy(const void *context);
void uls_hash_update(void *context, const void *data, size_t length);
/// Writes the digest, of uls_hash_length bytes, to `digest`. uls_hash_update must not be called afterwards.
void uls_hash_finish(void *context, uint8_t *digest);
void uls_hash_free(void *context);

/// HMAC (RFC 2104), uls_hash_length bytes to `code`.
void uls_hmac(uls_hash function, const void *key, size_t key_length, const void *data, size_t length, uint8_t *code);

/// Fills `bytes` with cryptographically secure random bytes.
void uls_random(uint8_t *bytes, size_t length);

/// AES-256-GCM: `length` encrypted bytes and the tag to `out`.
///
/// `key` has ULS_SEAL_KEY bytes, `nonce` ULS_SEAL_NONCE, which no other call with this key has used; `out` takes `length` + ULS_SEAL_TAG.
///
/// Returns 0 if there is too much to encrypt.
int uls_seal(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *plain, size_t length,
    uint8_t *out);

/// The reverse: `length` counts the tag, and `out` takes `length` - ULS_SEAL_TAG bytes.
///
/// Returns 0, and leaves nothing in `out`, if the bytes weren't sealed with this key, nonce and authenticated data, or are fewer than a tag.
int uls_open(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *sealed, size_t length,
    uint8_t *out);

/// Overwrites a secret, even where the compiler sees that the bytes aren't read again.
void uls_erase(void *bytes, size_t length);

#endif
