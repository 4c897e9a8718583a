#include "CLoadingCryptography.h"

#include <stdlib.h>

#define B(name) CNIOBoringSSL_##name

extern const void *B(EVP_md4)(void);
extern const void *B(EVP_md5)(void);
extern const void *B(EVP_sha1)(void);
extern const void *B(EVP_sha256)(void);
extern const void *B(EVP_sha384)(void);
extern const void *B(EVP_sha512)(void);
extern const void *B(EVP_sha512_256)(void);
extern size_t B(EVP_MD_size)(const void *type);
extern void *B(EVP_MD_CTX_new)(void);
extern void B(EVP_MD_CTX_free)(void *ctx);
extern int B(EVP_MD_CTX_copy_ex)(void *out, const void *in);
extern int B(EVP_DigestInit_ex)(void *ctx, const void *type, void *engine);
extern int B(EVP_DigestUpdate)(void *ctx, const void *data, size_t length);
extern int B(EVP_DigestFinal_ex)(void *ctx, uint8_t *out, unsigned *out_length);
extern uint8_t *B(HMAC)(
    const void *type, const void *key, size_t key_length, const uint8_t *data, size_t length, uint8_t *out, unsigned *out_length);
extern int B(RAND_bytes)(uint8_t *bytes, size_t length);
extern const void *B(EVP_aead_aes_256_gcm)(void);
extern void *B(EVP_AEAD_CTX_new)(const void *aead, const uint8_t *key, size_t key_length, size_t tag_length);
extern void B(EVP_AEAD_CTX_free)(void *ctx);
extern int B(EVP_AEAD_CTX_seal)(
    const void *ctx, uint8_t *out, size_t *out_length, size_t out_maximum, const uint8_t *nonce, size_t nonce_length, const uint8_t *in,
    size_t length, const uint8_t *authenticated, size_t authenticated_length);
extern int B(EVP_AEAD_CTX_open)(
    const void *ctx, uint8_t *out, size_t *out_length, size_t out_maximum, const uint8_t *nonce, size_t nonce_length, const uint8_t *in,
    size_t length, const uint8_t *authenticated, size_t authenticated_length);
extern void B(OPENSSL_cleanse)(void *bytes, size_t length);
extern void B(ERR_clear_error)(void);

// These calls fail for want of memory only, which ends a Swift process as well.
static void check(int succeeded) {
  if (!succeeded) abort();
}

static const void *type_of(uls_hash function) {
  switch (function) {
    case ULS_MD4: return B(EVP_md4)();
    case ULS_MD5: return B(EVP_md5)();
    case ULS_SHA1: return B(EVP_sha1)();
    case ULS_SHA256: return B(EVP_sha256)();
    case ULS_SHA384: return B(EVP_sha384)();
    case ULS_SHA512: return B(EVP_sha512)();
    case ULS_SHA512_256: return B(EVP_sha512_256)();
  }
  abort();
}

// MARK: digests

size_t uls_hash_length(uls_hash function) { return B(EVP_MD_size)(type_of(function)); }

void *uls_hash_new(uls_hash function) {
  void *context = B(EVP_MD_CTX_new)();
  check(context != NULL && B(EVP_DigestInit_ex)(context, type_of(function), NULL));
  return context;
}

void *uls_hash_copy(const void *context) {
  void *copy = B(EVP_MD_CTX_new)();
  check(copy != NULL && B(EVP_MD_CTX_copy_ex)(copy, context));
  return copy;
}

void uls_hash_update(void *context, const void *data, size_t length) { check(B(EVP_DigestUpdate)(context, data, length)); }

void uls_hash_finish(void *context, uint8_t *digest) { check(B(EVP_DigestFinal_ex)(context, digest, NULL)); }

void uls_hash_free(void *context) { B(EVP_MD_CTX_free)(context); }

void uls_hmac(uls_hash function, const void *key, size_t key_length, const void *data, size_t length, uint8_t *code) {
  // BoringSSL takes a key of NULL for that of the call before.
  check(B(HMAC)(type_of(function), key == NULL ? "" : key, key_length, data, length, code, NULL) != NULL);
}

// MARK: sealing

void uls_random(uint8_t *bytes, size_t length) { check(B(RAND_bytes)(bytes, length)); }

static void *sealing(const uint8_t *key) {
  // A tag length of 0 is the full one.
  void *context = B(EVP_AEAD_CTX_new)(B(EVP_aead_aes_256_gcm)(), key, ULS_SEAL_KEY, 0);
  check(context != NULL);
  return context;
}

int uls_seal(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *plain, size_t length,
    uint8_t *out) {
  size_t written = 0;
  void *context = sealing(key);
  int result = length <= SIZE_MAX - ULS_SEAL_TAG &&
               B(EVP_AEAD_CTX_seal)(
                   context, out, &written, length + ULS_SEAL_TAG, nonce, ULS_SEAL_NONCE, plain, length, authenticated,
                   authenticated_length) &&
               written == length + ULS_SEAL_TAG;
  B(EVP_AEAD_CTX_free)(context);
  B(ERR_clear_error)();
  return result;
}

int uls_open(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *sealed, size_t length,
    uint8_t *out) {
  if (length < ULS_SEAL_TAG) return 0;
  size_t written = 0;
  void *context = sealing(key);
  int result = B(EVP_AEAD_CTX_open)(
                   context, out, &written, length - ULS_SEAL_TAG, nonce, ULS_SEAL_NONCE, sealed, length, authenticated,
                   authenticated_length) &&
               written == length - ULS_SEAL_TAG;
  B(EVP_AEAD_CTX_free)(context);
  B(ERR_clear_error)();
  return result;
}

void uls_erase(void *bytes, size_t length) { B(OPENSSL_cleanse)(bytes, length); }
