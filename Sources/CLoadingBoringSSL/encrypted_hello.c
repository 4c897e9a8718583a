#include "boringssl.h"

void uls_tls_encrypt_hello(void *ssl, uls_tls_bytes list, int is_required) {
  SSL_set1_ech_config_list(ssl, list.data, list.length);
  SSL_set_reject_unusable_ech_config(ssl, is_required);
  ERR_clear_error();
}

void uls_tls_grease_hello(void *ssl) { SSL_set_enable_ech_grease(ssl, 1); }

int uls_tls_hello_was_accepted(void *ssl) { return SSL_ech_accepted(ssl); }

uls_tls_bytes uls_tls_public_name(void *ssl) {
  const char *name = NULL;
  size_t length = 0;
  SSL_get0_ech_name_override(ssl, &name, &length);
  return (uls_tls_bytes){(const uint8_t *)name, length};
}

uls_tls_bytes uls_tls_retry_configurations(void *ssl) {
  const uint8_t *list = NULL;
  size_t length = 0;
  SSL_get0_ech_retry_configs(ssl, &list, &length);
  return (uls_tls_bytes){list, length};
}
