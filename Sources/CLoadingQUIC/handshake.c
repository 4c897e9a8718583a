#ifdef LOADING_HTTP3

#include <pthread.h>
#include <string.h>

#include "internal.h"

// TLS 1.3 in QUIC (RFC 9001, 4): BoringSSL's handshake in ngtcp2's CRYPTO frames.

static int connection_index = -1;
static pthread_once_t connection_once = PTHREAD_ONCE_INIT;

static void make_index(void) { connection_index = SSL_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static uls_h3 *connection_of(const SSL *ssl) { return SSL_get_ex_data(ssl, connection_index); }

static N_LEVEL_TYPE level_for_ngtcp2(enum ssl_encryption_level_t level) {
  switch (level) {
    case ssl_encryption_early_data: return N_LEVEL_EARLY;
    case ssl_encryption_handshake: return N_LEVEL_HANDSHAKE;
    case ssl_encryption_application: return N_LEVEL_APPLICATION;
    default: return N_LEVEL_INITIAL;
  }
}

static int take_peers_params(uls_h3 *connection) {
  const uint8_t *params = NULL;
  size_t length = 0;
  SSL_get_peer_quic_transport_params(connection->ssl, &params, &length);
  int result = n_decode_remote_params(connection->quic, params, length);
  if (result != 0) {
    ngtcp2_conn_set_tls_error(connection->quic, result);
    return 0;
  }
  return 1;
}

static int send_own_params(uls_h3 *connection) {
  uint8_t params[256];
  ngtcp2_ssize length = ngtcp2_conn_encode_local_transport_params(connection->quic, params, sizeof(params));
  return length >= 0 && SSL_set_quic_transport_params(connection->ssl, params, (size_t)length);
}

// MARK: BoringSSL's callbacks, which return 1 for success

static int on_read_secret(SSL *ssl, enum ssl_encryption_level_t level, const SSL_CIPHER *cipher, const uint8_t *secret, size_t length) {
  uls_h3 *connection = connection_of(ssl);
  if (connection == NULL) return 0;
  if (level == ssl_encryption_application && !connection->is_server && !take_peers_params(connection)) return 0;
  return uls_install_key(connection, 1, level, cipher, secret, length) == 0;
}

static int on_write_secret(SSL *ssl, enum ssl_encryption_level_t level, const SSL_CIPHER *cipher, const uint8_t *secret, size_t length) {
  uls_h3 *connection = connection_of(ssl);
  if (connection == NULL) return 0;
  int is_servers_handshake = level == ssl_encryption_handshake && connection->is_server;
  if (is_servers_handshake && !take_peers_params(connection)) return 0;
  if (uls_install_key(connection, 0, level, cipher, secret, length) != 0) return 0;
  // With the client's parameters and the key, ngtcp2 completes the server's own: the version that was chosen, its first connection ID. BoringSSL
  // sends them after this call.
  if (is_servers_handshake && !send_own_params(connection)) return 0;
  if (level == ssl_encryption_application && connection->is_server) return uls_set_up_http(connection) == 0;
  return 1;
}

static int on_handshake_data(SSL *ssl, enum ssl_encryption_level_t level, const uint8_t *data, size_t length) {
  uls_h3 *connection = connection_of(ssl);
  if (connection == NULL) return 0;
  return ngtcp2_conn_submit_crypto_data(connection->quic, level_for_ngtcp2(level), data, length) == 0;
}

static int on_flush(SSL *ssl) {
  (void)ssl;
  return 1;
}

static int on_alert(SSL *ssl, enum ssl_encryption_level_t level, uint8_t alert) {
  (void)level;
  uls_h3 *connection = connection_of(ssl);
  if (connection == NULL) return 0;
  ngtcp2_conn_set_tls_alert(connection->quic, alert);
  connection->failure.alert = alert;
  return 1;
}

static const SSL_QUIC_METHOD method = {
  .set_read_secret = on_read_secret,
  .set_write_secret = on_write_secret,
  .add_handshake_data = on_handshake_data,
  .flush_flight = on_flush,
  .send_alert = on_alert,
};

// MARK: functions for the connection

int uls_prepare_tls(uls_h3 *connection, SSL *ssl) {
  pthread_once(&connection_once, make_index);
  if (connection_index < 0 || !SSL_set_ex_data(ssl, connection_index, connection) || !SSL_set_quic_method(ssl, &method) ||
      !SSL_set_min_proto_version(ssl, TLS1_3_VERSION) || !SSL_set_max_proto_version(ssl, TLS1_3_VERSION)) {
    return -1;
  }
  if (connection->is_server) {
    SSL_set_accept_state(ssl);
    // BoringSSL accepts early data only for tickets with the same context: it would have to change if the server's limits became smaller.
    static const uint8_t context[] = "uls-h3-1";
    SSL_set_quic_early_data_context(ssl, context, sizeof(context) - 1);
  } else {
    SSL_set_connect_state(ssl);
    if (!send_own_params(connection)) return -1;
  }
  return 0;
}

static int refuse_early_data(uls_h3 *connection) {
  SSL_reset_early_data_reject(connection->ssl);
  return n_early_data_rejected(connection->quic);
}

static int do_handshake(uls_h3 *connection) {
  // A second time if the server has refused early data.
  for (int attempt = 0; attempt < 2; attempt++) {
    int result = SSL_do_handshake(connection->ssl);
    if (result > 0) return 1;
    switch (SSL_get_error(connection->ssl, result)) {
      case SSL_ERROR_WANT_READ:
      case SSL_ERROR_WANT_WRITE:
      case SSL_ERROR_WANT_X509_LOOKUP:
      case SSL_ERROR_PENDING_CERTIFICATE:
      case SSL_ERROR_WANT_CERTIFICATE_VERIFY: return 0;
      case SSL_ERROR_EARLY_DATA_REJECTED:
        if (refuse_early_data(connection) != 0) return -1;
        break;
      default: return -1;
    }
  }
  return -1;
}

int uls_advance_tls(uls_h3 *connection, enum ssl_encryption_level_t level, const uint8_t *data, size_t length) {
  SSL *ssl = connection->ssl;
  if (length > 0 && !SSL_provide_quic_data(ssl, level, data, length)) {
    ERR_clear_error();
    return NGTCP2_ERR_CRYPTO;
  }
  if (!ngtcp2_conn_get_handshake_completed(connection->quic)) {
    int result = do_handshake(connection);
    if (result < 0) {
      ERR_clear_error();
      return NGTCP2_ERR_CRYPTO;
    }
    // With early data BoringSSL reports a client's handshake as done before the server has answered: ngtcp2 isn't told yet.
    if (result == 0 || SSL_in_early_data(ssl)) return 0;
    n_handshake_completed(connection->quic);
  }
  if (!SSL_process_quic_post_handshake(ssl)) {
    ERR_clear_error();
    return NGTCP2_ERR_CRYPTO;
  }
  return 0;
}

/// Makes ngtcp2 notice that the handshake is complete, which it only checks after reading a packet: this one is of no connection, and is dropped.
static int nudge(uls_h3 *connection, uint64_t now) {
  static const uint8_t packet[32] = {0x40};
  ngtcp2_pkt_info info = {0};
  const ngtcp2_path *path = ngtcp2_conn_get_path(connection->quic);
  return ngtcp2_conn_read_pkt(connection->quic, path, &info, packet, sizeof(packet), now);
}

enum uls_h3_state uls_h3_continue(uls_h3 *connection, uint64_t now) {
  if (connection->state != ULS_H3_OPEN) return connection->state;
  int result = uls_advance_tls(connection, ssl_encryption_initial, NULL, 0);
  if (result == 0 && !connection->handshake_has_ended) result = nudge(connection, now);
  if (result != 0) uls_fail(connection, result);
  return connection->state;
}

#endif
