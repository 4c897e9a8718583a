#include "hpke.h"

#include "boringssl.h"

static const EVP_HPKE_KEM *kem_of(uint16_t number) {
  switch (number) {
    case 0x0010: return EVP_hpke_p256_hkdf_sha256();
    case 0x0020: return EVP_hpke_x25519_hkdf_sha256();
    default: return NULL;
  }
}

static const EVP_HPKE_KDF *kdf_of(uint16_t number) {
  switch (number) {
    case 1: return EVP_hpke_hkdf_sha256();
    case 2: return EVP_hpke_hkdf_sha384();
    default: return NULL;
  }
}

static const EVP_HPKE_AEAD *aead_of(uint16_t number) {
  switch (number) {
    case 1: return EVP_hpke_aes_128_gcm();
    case 2: return EVP_hpke_aes_256_gcm();
    case 3: return EVP_hpke_chacha20_poly1305();
    default: return NULL;
  }
}

size_t uls_hpke_key_length(uint16_t kem) {
  const EVP_HPKE_KEM *known = kem_of(kem);
  return known == NULL ? 0 : EVP_HPKE_KEM_public_key_len(known);
}

size_t uls_hpke_hash_length(uint16_t kdf) {
  const EVP_HPKE_KDF *known = kdf_of(kdf);
  return known == NULL ? 0 : EVP_MD_size(EVP_HPKE_KDF_hkdf_md(known));
}

size_t uls_aead_key_length(uint16_t aead) {
  const EVP_HPKE_AEAD *known = aead_of(aead);
  return known == NULL ? 0 : EVP_AEAD_key_length(EVP_HPKE_AEAD_aead(known));
}

void uls_hpke_free(void *context) { EVP_HPKE_CTX_free(context); }

// Returns the context if `succeeded`; otherwise frees it and returns NULL.
static void *finished(EVP_HPKE_CTX *context, int succeeded) {
  ERR_clear_error();
  if (succeeded) return context;
  EVP_HPKE_CTX_free(context);
  return NULL;
}

void *uls_hpke_sender(
    uint16_t kem, uint16_t kdf, uint16_t aead, const uint8_t *key, size_t key_length, const void *info, size_t info_length,
    uint8_t *encapsulated) {
  const EVP_HPKE_KEM *known_kem = kem_of(kem);
  const EVP_HPKE_KDF *known_kdf = kdf_of(kdf);
  const EVP_HPKE_AEAD *known_aead = aead_of(aead);
  if (known_kem == NULL || known_kdf == NULL || known_aead == NULL) return NULL;
  EVP_HPKE_CTX *context = EVP_HPKE_CTX_new();
  size_t written = 0;
  return finished(
      context, context != NULL && EVP_HPKE_CTX_setup_sender(
                                      context, encapsulated, &written, ULS_HPKE_ENCAPSULATED_MAXIMUM, known_kem, known_kdf, known_aead,
                                      key, key_length, info, info_length));
}

size_t uls_hpke_make_keys(uint16_t kem, uint8_t *private_key, uint8_t *public_key) {
  const EVP_HPKE_KEM *known = kem_of(kem);
  EVP_HPKE_KEY *key = known == NULL ? NULL : EVP_HPKE_KEY_new();
  size_t length = 0, written = 0;
  int succeeded =
      key != NULL && EVP_HPKE_KEY_generate(key, known) &&
      EVP_HPKE_KEY_private_key(key, private_key, &length, ULS_HPKE_ENCAPSULATED_MAXIMUM) &&
      EVP_HPKE_KEY_public_key(key, public_key, &written, ULS_HPKE_ENCAPSULATED_MAXIMUM);
  EVP_HPKE_KEY_free(key);
  ERR_clear_error();
  return succeeded ? length : 0;
}

void *uls_hpke_recipient(
    uint16_t kem, uint16_t kdf, uint16_t aead, const uint8_t *private_key, size_t key_length, const uint8_t *encapsulated,
    size_t encapsulated_length, const void *info, size_t info_length) {
  const EVP_HPKE_KEM *known_kem = kem_of(kem);
  const EVP_HPKE_KDF *known_kdf = kdf_of(kdf);
  const EVP_HPKE_AEAD *known_aead = aead_of(aead);
  if (known_kem == NULL || known_kdf == NULL || known_aead == NULL) return NULL;
  EVP_HPKE_KEY *key = EVP_HPKE_KEY_new();
  EVP_HPKE_CTX *context = EVP_HPKE_CTX_new();
  int succeeded =
      key != NULL && context != NULL && EVP_HPKE_KEY_init(key, known_kem, private_key, key_length) &&
      EVP_HPKE_CTX_setup_recipient(context, key, known_kdf, known_aead, encapsulated, encapsulated_length, info, info_length);
  EVP_HPKE_KEY_free(key);
  return finished(context, succeeded);
}

int uls_hpke_seal(void *context, const void *plain, size_t length, uint8_t *out) {
  if (length > SIZE_MAX - ULS_AEAD_TAG) return 0;
  size_t written = 0;
  int succeeded = EVP_HPKE_CTX_seal(context, out, &written, length + ULS_AEAD_TAG, plain, length, NULL, 0);
  ERR_clear_error();
  return succeeded && written == length + ULS_AEAD_TAG;
}

int uls_hpke_open(void *context, const void *sealed, size_t length, uint8_t *out) {
  if (length < ULS_AEAD_TAG) return 0;
  size_t written = 0;
  // BoringSSL requires the buffer to have space for the tag as well, but doesn't write to it.
  int succeeded = EVP_HPKE_CTX_open(context, out, &written, length, sealed, length, NULL, 0);
  ERR_clear_error();
  return succeeded && written == length - ULS_AEAD_TAG;
}

int uls_hpke_export(const void *context, const void *label, size_t label_length, uint8_t *secret, size_t length) {
  int succeeded = EVP_HPKE_CTX_export(context, secret, length, label, label_length);
  ERR_clear_error();
  return succeeded;
}

// MARK: AEAD with a given key

int uls_aead_seal(uint16_t aead, const uint8_t *key, const uint8_t *nonce, const void *plain, size_t length, uint8_t *out) {
  const EVP_HPKE_AEAD *known = aead_of(aead);
  if (known == NULL || length > SIZE_MAX - ULS_AEAD_TAG) return 0;
  EVP_AEAD_CTX *context = EVP_AEAD_CTX_new(EVP_HPKE_AEAD_aead(known), key, uls_aead_key_length(aead), 0);
  size_t written = 0;
  int succeeded =
      context != NULL &&
      EVP_AEAD_CTX_seal(context, out, &written, length + ULS_AEAD_TAG, nonce, ULS_AEAD_NONCE, plain, length, NULL, 0) &&
      written == length + ULS_AEAD_TAG;
  EVP_AEAD_CTX_free(context);
  ERR_clear_error();
  return succeeded;
}

int uls_aead_open(uint16_t aead, const uint8_t *key, const uint8_t *nonce, const void *sealed, size_t length, uint8_t *out) {
  const EVP_HPKE_AEAD *known = aead_of(aead);
  if (known == NULL || length < ULS_AEAD_TAG) return 0;
  EVP_AEAD_CTX *context = EVP_AEAD_CTX_new(EVP_HPKE_AEAD_aead(known), key, uls_aead_key_length(aead), 0);
  size_t written = 0;
  int succeeded =
      context != NULL &&
      EVP_AEAD_CTX_open(context, out, &written, length - ULS_AEAD_TAG, nonce, ULS_AEAD_NONCE, sealed, length, NULL, 0) &&
      written == length - ULS_AEAD_TAG;
  EVP_AEAD_CTX_free(context);
  ERR_clear_error();
  return succeeded;
}
