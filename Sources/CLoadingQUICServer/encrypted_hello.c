// The keys with which test servers decrypt ClientHellos (Encrypted Client Hello, RFC 9849). Also compiled without QUIC, for TLS over TCP.

#include <string.h>

#include "../CLoadingQUIC/boringssl.h"
#include "CLoadingQUICServer.h"

void *uls_ech_keys_new(uint8_t identifier, const char *public_name) {
  enum { NAME_MAXIMUM = 64 };
  SSL_ECH_KEYS *keys = SSL_ECH_KEYS_new();
  EVP_HPKE_KEY *key = EVP_HPKE_KEY_new();
  uint8_t *configuration = NULL;
  size_t length = 0;
  int is_made = keys != NULL && key != NULL && EVP_HPKE_KEY_generate(key, EVP_hpke_x25519_hkdf_sha256()) &&
      SSL_marshal_ech_config(&configuration, &length, identifier, key, public_name, NAME_MAXIMUM) &&
      SSL_ECH_KEYS_add(keys, 1, configuration, length, key);
  OPENSSL_free(configuration);
  EVP_HPKE_KEY_free(key);
  if (!is_made) {
    SSL_ECH_KEYS_free(keys);
    keys = NULL;
  }
  ERR_clear_error();
  return keys;
}

void uls_ech_keys_free(void *keys) { SSL_ECH_KEYS_free(keys); }

size_t uls_ech_keys_list(const void *keys, uint8_t *buffer, size_t capacity) {
  uint8_t *list = NULL;
  size_t length = 0;
  if (!SSL_ECH_KEYS_marshal_retry_configs(keys, &list, &length) || length > capacity) length = 0;
  if (length > 0) memcpy(buffer, list, length);
  OPENSSL_free(list);
  ERR_clear_error();
  return length;
}

int uls_ech_keys_use(void *ctx, void *keys) {
  int result = SSL_CTX_set1_ech_keys(ctx, keys);
  ERR_clear_error();
  return result;
}
