#include "CLoadingDigests.h"

#include <stdlib.h>

#define B(name) CCryptoBoringSSL_##name

extern uint8_t *B(MD4)(const uint8_t *data, size_t length, uint8_t *out);
extern void *B(EVP_MD_CTX_new)(void);
extern void B(EVP_MD_CTX_free)(void *ctx);
extern int B(EVP_MD_CTX_copy_ex)(void *out, const void *in);
extern const void *B(EVP_sha512_256)(void);
extern int B(EVP_DigestInit_ex)(void *ctx, const void *type, void *engine);
extern int B(EVP_DigestUpdate)(void *ctx, const void *data, size_t length);
extern int B(EVP_DigestFinal_ex)(void *ctx, uint8_t *out, unsigned *out_length);

void uls_md4(const uint8_t *data, size_t length, uint8_t *digest) { B(MD4)(data, length, digest); }

// These calls fail for want of memory only, which ends a Swift process as well.
static void check(int succeeded) {
  if (!succeeded) abort();
}

void *uls_sha512_256_new(void) {
  void *context = B(EVP_MD_CTX_new)();
  check(context != NULL && B(EVP_DigestInit_ex)(context, B(EVP_sha512_256)(), NULL));
  return context;
}

void *uls_sha512_256_copy(const void *context) {
  void *copy = B(EVP_MD_CTX_new)();
  check(copy != NULL && B(EVP_MD_CTX_copy_ex)(copy, context));
  return copy;
}

void uls_sha512_256_update(void *context, const uint8_t *data, size_t length) { check(B(EVP_DigestUpdate)(context, data, length)); }

void uls_sha512_256_finish(void *context, uint8_t *digest) { check(B(EVP_DigestFinal_ex)(context, digest, NULL)); }

void uls_sha512_256_free(void *context) { B(EVP_MD_CTX_free)(context); }
