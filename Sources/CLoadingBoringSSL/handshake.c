#include "boringssl.h"

#include <string.h>

// TLS handshakes over QUIC, which NIOSSL doesn't handle.

enum { CHAIN_MAXIMUM = 16, RESPONDER_WAITS = -1 };

uint16_t uls_tls_group(void *ssl) { return SSL_get_group_id(ssl); }

uint16_t uls_tls_version(void *ssl) { return (uint16_t)SSL_version(ssl); }

int uls_tls_takes_early_data(void *session) { return SSL_SESSION_early_data_capable(session); }

void *uls_tls_new(void *ctx, const char *name) {
  SSL *ssl = SSL_new(ctx);
  if (ssl != NULL && name != NULL && !SSL_set_tlsext_host_name(ssl, name)) {
    SSL_free(ssl);
    ssl = NULL;
  }
  ERR_clear_error();
  return ssl;
}

void uls_tls_free(void *ssl) { SSL_free(ssl); }

// One callback for all connections: each sets the same function, possibly from another thread, so the access is atomic.
static uls_tls_responder responder_of_all = NULL;

static int on_certificate_request(SSL *ssl, void *argument) {
  (void)argument;
  void *slot = uls_tls_slot(ssl);
  if (slot == NULL) return 0;
  int answer = __atomic_load_n(&responder_of_all, __ATOMIC_RELAXED)(slot);
  return answer == ULS_TLS_WAIT ? RESPONDER_WAITS : answer;
}

void uls_tls_set_responder(void *ssl, uls_tls_responder responder) {
  __atomic_store_n(&responder_of_all, responder, __ATOMIC_RELAXED);
  SSL_set_cert_cb(ssl, on_certificate_request, NULL);
}

int uls_tls_present(void *ssl, const uls_tls_bytes *chain, size_t count, uls_tls_bytes key) {
  CRYPTO_BUFFER *certificates[CHAIN_MAXIMUM];
  if (count == 0 || count > CHAIN_MAXIMUM) return 0;
  const uint8_t *position = key.data;
  EVP_PKEY *private_key = d2i_AutoPrivateKey(NULL, &position, (long)key.length);
  for (size_t index = 0; index < count; index++) certificates[index] = CRYPTO_BUFFER_new(chain[index].data, chain[index].length, NULL);
  int result = private_key != NULL && SSL_set_chain_and_key(ssl, certificates, count, private_key, NULL);
  for (size_t index = 0; index < count; index++) CRYPTO_BUFFER_free(certificates[index]);
  EVP_PKEY_free(private_key);
  ERR_clear_error();
  return result;
}
