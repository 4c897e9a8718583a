#include "CLoadingBoringSSL.h"

#include <string.h>

#include "boringssl.h"

// Handshakes that aren't NIOSSL's: of QUIC.

extern void *B(SSL_new)(void *ctx);
extern void B(SSL_free)(void *ssl);
extern int B(SSL_set_tlsext_host_name)(void *ssl, const char *name);
extern int B(SSL_SESSION_early_data_capable)(const void *session);
extern int B(SSL_version)(const void *ssl);
extern void B(SSL_set_cert_cb)(void *ssl, int (*callback)(void *ssl, void *argument), void *argument);
extern void *B(CRYPTO_BUFFER_new)(const uint8_t *data, size_t length, void *pool);
extern void B(CRYPTO_BUFFER_free)(void *buffer);
extern void *B(d2i_AutoPrivateKey)(void **out, const uint8_t **in, long length);
extern int B(SSL_set_chain_and_key)(void *ssl, void *const *certificates, size_t count, void *key, const void *method);

enum { CHAIN_MAXIMUM = 16, RESPONDER_WAITS = -1 };

uint16_t uls_tls_version(void *ssl) { return (uint16_t)B(SSL_version)(ssl); }

int uls_tls_takes_early_data(void *session) { return B(SSL_SESSION_early_data_capable)(session); }

void *uls_tls_new(void *ctx, const char *name) {
  void *ssl = B(SSL_new)(ctx);
  if (ssl != NULL && name != NULL && !B(SSL_set_tlsext_host_name)(ssl, name)) {
    B(SSL_free)(ssl);
    ssl = NULL;
  }
  B(ERR_clear_error)();
  return ssl;
}

void uls_tls_free(void *ssl) { B(SSL_free)(ssl); }

// Every connection sets it, to the same function, from its own thread.
static uls_tls_responder responder_of_all = NULL;

static int on_certificate_request(void *ssl, void *argument) {
  (void)argument;
  void *slot = uls_tls_slot(ssl);
  if (slot == NULL) return 0;
  int answer = __atomic_load_n(&responder_of_all, __ATOMIC_RELAXED)(slot);
  return answer == ULS_TLS_WAIT ? RESPONDER_WAITS : answer;
}

void uls_tls_set_responder(void *ssl, uls_tls_responder responder) {
  __atomic_store_n(&responder_of_all, responder, __ATOMIC_RELAXED);
  B(SSL_set_cert_cb)(ssl, on_certificate_request, NULL);
}

int uls_tls_present(void *ssl, const uls_tls_bytes *chain, size_t count, uls_tls_bytes key) {
  void *certificates[CHAIN_MAXIMUM];
  if (count == 0 || count > CHAIN_MAXIMUM) return 0;
  const uint8_t *position = key.data;
  void *private_key = B(d2i_AutoPrivateKey)(NULL, &position, (long)key.length);
  for (size_t index = 0; index < count; index++) certificates[index] = B(CRYPTO_BUFFER_new)(chain[index].data, chain[index].length, NULL);
  int result = private_key != NULL && B(SSL_set_chain_and_key)(ssl, certificates, count, private_key, NULL);
  for (size_t index = 0; index < count; index++) B(CRYPTO_BUFFER_free)(certificates[index]);
  B(EVP_PKEY_free)(private_key);
  B(ERR_clear_error)();
  return result;
}
