#include "boringssl.h"

#include <pthread.h>
#include <stddef.h>

static int slot_index = -1;
static pthread_once_t slot_once = PTHREAD_ONCE_INIT;
// One callback for all connections: each context sets the same function, possibly from another thread, so the access is atomic.
static uls_tls_ticket_callback ticket_callback = NULL;

static void make_slot(void) { slot_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static int on_new_session(SSL *ssl, SSL_SESSION *session) {
  void *slot = SSL_get_ex_data(ssl, slot_index);
  uls_tls_ticket_callback callback = __atomic_load_n(&ticket_callback, __ATOMIC_RELAXED);
  if (slot == NULL || callback == NULL) return 0;
  callback(slot, session);
  return 1;
}

void uls_tls_context_enable_tickets(void *ctx, uls_tls_ticket_callback callback) {
  pthread_once(&slot_once, make_slot);
  __atomic_store_n(&ticket_callback, callback, __ATOMIC_RELAXED);
  // BoringSSL keeps no tickets of its own: the callback's receiver does.
  SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(ctx, on_new_session);
}

void uls_tls_set_slot(void *ssl, void *slot) {
  if (slot_index >= 0) SSL_set_ex_data(ssl, slot_index, slot);
}

void *uls_tls_slot(void *ssl) { return slot_index < 0 ? NULL : SSL_get_ex_data(ssl, slot_index); }

static void on_message(int is_sent, int version, int type, const void *bytes, size_t length, SSL *ssl, void *callback) {
  (void)version;
  void *slot = uls_tls_slot(ssl);
  if (type != SSL3_RT_HANDSHAKE || length == 0 || slot == NULL) return;
  ((uls_tls_message_callback)callback)(slot, is_sent, *(const uint8_t *)bytes, length);
}

void uls_tls_watch_messages(void *ssl, uls_tls_message_callback callback) {
  SSL_set_msg_callback_arg(ssl, (void *)callback);
  SSL_set_msg_callback(ssl, on_message);
}

void uls_tls_offer_session(void *ssl, void *session) { SSL_set_session(ssl, session); }

int uls_tls_was_resumed(void *ssl) { return SSL_session_reused(ssl); }

uint16_t uls_tls_cipher_suite(void *ssl) {
  const SSL_CIPHER *cipher = SSL_get_current_cipher(ssl);
  return cipher == NULL ? 0 : SSL_CIPHER_get_protocol_id(cipher);
}

uint16_t uls_tls_session_cipher_suite(void *session) {
  const SSL_CIPHER *cipher = SSL_SESSION_get0_cipher(session);
  return cipher == NULL ? 0 : SSL_CIPHER_get_protocol_id(cipher);
}

int uls_tls_client_certificate_was_asked(void *ssl) {
  const uint8_t *types = NULL;
  return SSL_get0_certificate_types(ssl, &types) > 0;
}

void uls_tls_free_session(void *session) { SSL_SESSION_free(session); }
