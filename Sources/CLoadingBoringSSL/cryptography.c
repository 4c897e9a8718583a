#include "cryptography.h"

#include <stdlib.h>

#include "boringssl.h"

// Aborts if a call of BoringSSL has failed: those that are checked fail only if memory is short, which also ends a Swift process.
static void check(int succeeded) {
  if (!succeeded) abort();
}

static const EVP_MD *type_of(uls_hash function) {
  switch (function) {
    case ULS_MD4: return EVP_md4();
    case ULS_MD5: return EVP_md5();
    case ULS_SHA1: return EVP_sha1();
    case ULS_SHA256: return EVP_sha256();
    case ULS_SHA384: return EVP_sha384();
    case ULS_SHA512: return EVP_sha512();
    case ULS_SHA512_256: return EVP_sha512_256();
  }
  abort();
}

// MARK: hash functions

size_t uls_hash_length(uls_hash function) { return EVP_MD_size(type_of(function)); }

void *uls_hash_new(uls_hash function) {
  EVP_MD_CTX *context = EVP_MD_CTX_new();
  check(context != NULL && EVP_DigestInit_ex(context, type_of(function), NULL));
  return context;
}

void *uls_hash_copy(const void *context) {
  EVP_MD_CTX *copy = EVP_MD_CTX_new();
  check(copy != NULL && EVP_MD_CTX_copy_ex(copy, context));
  return copy;
}

void uls_hash_update(void *context, const void *data, size_t length) { check(EVP_DigestUpdate(context, data, length)); }

void uls_hash_finish(void *context, uint8_t *digest) { check(EVP_DigestFinal_ex(context, digest, NULL)); }

void uls_hash_free(void *context) { EVP_MD_CTX_free(context); }

void uls_hmac(uls_hash function, const void *key, size_t key_length, const void *data, size_t length, uint8_t *code) {
  // BoringSSL's HMAC takes a NULL key to mean the key of the previous call; an empty key is passed as an empty string.
  check(HMAC(type_of(function), key == NULL ? "" : key, key_length, data, length, code, NULL) != NULL);
}

// MARK: AES-256-GCM

void uls_random(uint8_t *bytes, size_t length) { check(RAND_bytes(bytes, length)); }

static EVP_AEAD_CTX *sealing(const uint8_t *key) {
  // A tag length of 0 selects the full length of 16 bytes.
  EVP_AEAD_CTX *context = EVP_AEAD_CTX_new(EVP_aead_aes_256_gcm(), key, ULS_SEAL_KEY, 0);
  check(context != NULL);
  return context;
}

int uls_seal(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *plain, size_t length,
    uint8_t *out) {
  size_t written = 0;
  EVP_AEAD_CTX *context = sealing(key);
  int result = length <= SIZE_MAX - ULS_SEAL_TAG &&
               EVP_AEAD_CTX_seal(
                   context, out, &written, length + ULS_SEAL_TAG, nonce, ULS_SEAL_NONCE, plain, length, authenticated,
                   authenticated_length) &&
               written == length + ULS_SEAL_TAG;
  EVP_AEAD_CTX_free(context);
  ERR_clear_error();
  return result;
}

int uls_open(
    const uint8_t *key, const uint8_t *nonce, const void *authenticated, size_t authenticated_length, const void *sealed, size_t length,
    uint8_t *out) {
  if (length < ULS_SEAL_TAG) return 0;
  size_t written = 0;
  EVP_AEAD_CTX *context = sealing(key);
  int result = EVP_AEAD_CTX_open(
                   context, out, &written, length - ULS_SEAL_TAG, nonce, ULS_SEAL_NONCE, sealed, length, authenticated,
                   authenticated_length) &&
               written == length - ULS_SEAL_TAG;
  EVP_AEAD_CTX_free(context);
  ERR_clear_error();
  return result;
}

void uls_erase(void *bytes, size_t length) { OPENSSL_cleanse(bytes, length); }
