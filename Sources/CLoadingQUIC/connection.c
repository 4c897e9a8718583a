#ifdef LOADING_HTTP3

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

// One connection: its making, its packets, its end.

uls_h3_settings uls_h3_default_settings(void) {
  uls_h3_settings settings = {
      .stream_window = 256 << 10,
      .connection_window = 1 << 20,
      .maximum_stream_window = 8 << 20,
      .maximum_connection_window = 24 << 20,
      // The idle timeout: after so long a silence the connection ends. The peer may announce a shorter one.
      .idle_timeout = 60ull * NGTCP2_SECONDS,
      .handshake_timeout = 10ull * NGTCP2_SECONDS,
      .maximum_requests = 100,
      .maximum_section = 256 << 10,
      .table_capacity = 4096,
      .blocked_streams = 100,
      .allows_extended_connect = 0,
      .forbids_migration = 0,
      .maximum_datagram = 0,
  };
  return settings;
}

static socklen_t address_length(const struct sockaddr_storage *address) {
  return address->ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
}

ngtcp2_path uls_path(const uls_h3_path *path) {
  ngtcp2_path made;
  memset(&made, 0, sizeof(made));
  made.local.addr = (ngtcp2_sockaddr *)&path->local;
  made.local.addrlen = address_length(&path->local);
  made.remote.addr = (ngtcp2_sockaddr *)&path->remote;
  made.remote.addrlen = address_length(&path->remote);
  return made;
}

static void copy_path(uls_h3_path *out, const ngtcp2_path *path) {
  memset(out, 0, sizeof(*out));
  if (path->local.addrlen <= sizeof(out->local)) memcpy(&out->local, path->local.addr, path->local.addrlen);
  if (path->remote.addrlen <= sizeof(out->remote)) memcpy(&out->remote, path->remote.addr, path->remote.addrlen);
}

// MARK: errors

static enum uls_h3_side side_of(int is_application, uint64_t code) {
  if (is_application) return ULS_H3_APPLICATION;
  // CRYPTO_ERROR, 0x100 to 0x1ff, carries a TLS alert (RFC 9001, 4.8).
  return code >= 0x100 && code <= 0x1ff ? ULS_H3_TLS : ULS_H3_TRANSPORT;
}

static void note_failure(uls_h3 *connection, enum uls_h3_side side, int is_peers, uint64_t code, const char *text) {
  if (connection->failure.side != ULS_H3_NONE) return;
  connection->failure.side = side;
  connection->failure.is_peers = is_peers;
  connection->failure.code = code;
  if (side == ULS_H3_TLS && code >= 0x100) connection->failure.alert = (uint8_t)code;
  connection->failure.text = text;
}

static void note_peers_close(uls_h3 *connection) {
#if ULS_NGTCP2_1
  const ngtcp2_ccerr *close = ngtcp2_conn_get_ccerr(connection->quic);
  int is_application = close->type == N_CLOSE_APPLICATION;
  uint64_t code = close->error_code;
#else
  ngtcp2_connection_close_error close;
  ngtcp2_conn_get_connection_close_error(connection->quic, &close);
  int is_application = close.type == N_CLOSE_APPLICATION;
  uint64_t code = close.error_code;
#endif
  note_failure(connection, side_of(is_application, code), 1, code, "closed by the peer");
}

static void fail_application(uls_h3 *connection, uint64_t code, const char *text) {
  n_close_error_application(&connection->close, code, NULL, 0);
  note_failure(connection, ULS_H3_APPLICATION, 0, code, text);
}

void uls_fail_http(uls_h3 *connection, int error) {
  fail_application(connection, nghttp3_err_infer_quic_app_error_code(error), nghttp3_strerror(error));
}

void uls_fail_reading(uls_h3 *connection, int error, int64_t id, uint64_t offset, size_t length, int ends) {
  snprintf(
      connection->explanation, sizeof(connection->explanation), "%s, in bytes %" PRIu64 " to %" PRIu64 " of stream %" PRId64 "%s",
      nghttp3_strerror(error), offset, offset + length, id, ends ? ", which ends there" : "");
  fail_application(connection, nghttp3_err_infer_quic_app_error_code(error), connection->explanation);
}

void uls_fail_for_load(uls_h3 *connection) {
  fail_application(connection, NGHTTP3_H3_EXCESSIVE_LOAD, "a field is longer than any may be");
}

void uls_fail(uls_h3 *connection, int error) {
  if (connection->state != ULS_H3_OPEN) return;
  connection->state = ULS_H3_CLOSING;
  switch (error) {
    case NGTCP2_ERR_DRAINING:
      connection->state = ULS_H3_DRAINING;
      note_peers_close(connection);
      return;
    case NGTCP2_ERR_CLOSING: return;
    case NGTCP2_ERR_DROP_CONN:
    case NGTCP2_ERR_RETRY:
      connection->state = ULS_H3_OVER;
      note_failure(connection, ULS_H3_TRANSPORT, 0, 0, "dropped");
      return;
    case NGTCP2_ERR_IDLE_CLOSE:
    case NGTCP2_ERR_HANDSHAKE_TIMEOUT:
      connection->state = ULS_H3_OVER;
      note_failure(connection, ULS_H3_TIMEOUT, 0, 0, ngtcp2_strerror(error));
      return;
    case NGTCP2_ERR_RECV_VERSION_NEGOTIATION:
      connection->state = ULS_H3_OVER;
      note_failure(connection, ULS_H3_VERSION, 1, 0, "the peer speaks no version of QUIC that is known here");
      return;
    case NGTCP2_ERR_CRYPTO: {
      uint8_t alert = ngtcp2_conn_get_tls_alert(connection->quic);
      int inner = ngtcp2_conn_get_tls_error(connection->quic);
      if (alert == 0 && inner != 0) {
        n_close_error_transport(&connection->close, inner, NULL, 0);
        note_failure(connection, ULS_H3_TRANSPORT, 0, ngtcp2_err_infer_quic_transport_error_code(inner), ngtcp2_strerror(inner));
        return;
      }
      if (alert == 0) alert = connection->failure.alert != 0 ? connection->failure.alert : 80;
      n_close_error_alert(&connection->close, alert, NULL, 0);
      note_failure(connection, ULS_H3_TLS, 0, 0x100u | alert, "the TLS handshake failed");
      return;
    }
    case NGTCP2_ERR_CALLBACK_FAILURE:
      // The HTTP/3 layer's callback has noted the error already.
      if (connection->failure.side != ULS_H3_NONE) return;
      error = NGTCP2_ERR_INTERNAL;
      break;
    default: break;
  }
  n_close_error_transport(&connection->close, error, NULL, 0);
  note_failure(connection, ULS_H3_TRANSPORT, 0, ngtcp2_err_infer_quic_transport_error_code(error), ngtcp2_strerror(error));
}

uls_h3_failure_facts uls_h3_failure(uls_h3 *connection) { return connection->failure; }

void uls_h3_close(uls_h3 *connection, uint64_t code) {
  if (connection->state != ULS_H3_OPEN) return;
  connection->state = ULS_H3_CLOSING;
  n_close_error_application(&connection->close, code, NULL, 0);
  note_failure(connection, ULS_H3_APPLICATION, 0, code, "closed");
}

// MARK: ngtcp2's callbacks

static int on_client_initial(ngtcp2_conn *quic, void *self) {
  uls_h3 *connection = self;
  connection->quic = quic;
  if (uls_install_initial_keys(connection, ngtcp2_conn_get_dcid(quic)) != 0) return NGTCP2_ERR_CALLBACK_FAILURE;
  int result = uls_advance_tls(connection, ssl_encryption_initial, NULL, 0);
  return result == 0 ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int on_server_initial(ngtcp2_conn *quic, const ngtcp2_cid *id, void *self) {
  (void)quic;
  return uls_install_initial_keys(self, id) == 0 ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int on_retry(ngtcp2_conn *quic, const ngtcp2_pkt_hd *header, void *self) {
  (void)quic;
  return uls_install_initial_keys(self, &header->scid) == 0 ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int on_crypto_data(
    ngtcp2_conn *quic, N_LEVEL_TYPE level, uint64_t offset, const uint8_t *data, size_t length, void *self) {
  (void)quic, (void)offset;
  switch (level) {
    case N_LEVEL_INITIAL: return uls_advance_tls(self, ssl_encryption_initial, data, length);
    case N_LEVEL_HANDSHAKE: return uls_advance_tls(self, ssl_encryption_handshake, data, length);
    case N_LEVEL_APPLICATION: return uls_advance_tls(self, ssl_encryption_application, data, length);
    default: return NGTCP2_ERR_CRYPTO;
  }
}

static int on_handshake_completed(ngtcp2_conn *quic, void *self) {
  uls_h3 *connection = self;
  if (connection->handshake_has_ended) return 0;
  if (uls_set_up_http(connection) != 0) return NGTCP2_ERR_CALLBACK_FAILURE;
  if (connection->is_server) {
    // The token for address validation on the client's next connection (RFC 9000, 8.1.3).
    uint8_t token[32];
    RAND_bytes(token, sizeof(token));
    token[0] = 0x36;
    ngtcp2_conn_submit_new_token(quic, token, sizeof(token));
  }
  connection->handshake_has_ended = 1;
  if (connection->is_server) connection->paces = 1;
  connection->events.handshake_ended(connection->self);
  return 0;
}

static int on_handshake_confirmed(ngtcp2_conn *quic, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  connection->paces = 1;
  connection->events.confirmed(connection->self);
  return 0;
}

static int on_reset(ngtcp2_conn *quic, const ngtcp2_pkt_stateless_reset *reset, void *self) {
  (void)quic, (void)reset;
  note_failure(self, ULS_H3_RESET, 1, 0, "the peer knows the connection no more");
  return 0;
}

static void on_random(uint8_t *out, size_t count, const ngtcp2_rand_ctx *ctx) {
  (void)ctx;
  RAND_bytes(out, count);
}

int uls_new_id(uint8_t *id, size_t length, uint8_t *token, const uint8_t *secret) {
  if (!RAND_bytes(id, length)) return -1;
  uint8_t digest[64];
  unsigned written = 0;
  // The stateless reset token, computed from the connection id by a secret key (RFC 9000, 10.3.2).
  if (HMAC(EVP_sha256(), secret, 32, id, length, digest, &written) == NULL) return -1;
  memcpy(token, digest, NGTCP2_STATELESS_RESET_TOKENLEN);
  return 0;
}

static int on_new_id(ngtcp2_conn *quic, ngtcp2_cid *id, uint8_t *token, size_t length, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  if (uls_new_id(id->data, length, token, connection->secret) != 0) return NGTCP2_ERR_CALLBACK_FAILURE;
  id->datalen = length;
  connection->events.names_connection(connection->self, (uls_h3_bytes){id->data, id->datalen}, 1);
  return 0;
}

static int on_old_id(ngtcp2_conn *quic, const ngtcp2_cid *id, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  connection->events.names_connection(connection->self, (uls_h3_bytes){id->data, id->datalen}, 0);
  return 0;
}

static int path_was_validated(uls_h3 *connection, const ngtcp2_path *path, ngtcp2_path_validation_result result) {
  // The validation was given up because another migration has begun: that path is validated now.
  if (result == NGTCP2_PATH_VALIDATION_RESULT_ABORTED) return 0;
  uls_h3_path copy;
  copy_path(&copy, path);
  connection->events.path_changed(connection->self, &copy, result == NGTCP2_PATH_VALIDATION_RESULT_SUCCESS);
  return 0;
}

#if ULS_NGTCP2_1
static int on_path_validation(
    ngtcp2_conn *quic, uint32_t flags, const ngtcp2_path *path, const ngtcp2_path *old, ngtcp2_path_validation_result result, void *self) {
  (void)quic, (void)flags, (void)old;
  return path_was_validated(self, path, result);
}

static int on_new_token(ngtcp2_conn *quic, const uint8_t *token, size_t length, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  connection->events.token(connection->self, (uls_h3_bytes){token, length});
  return 0;
}
#else
static int on_path_validation(
    ngtcp2_conn *quic, uint32_t flags, const ngtcp2_path *path, ngtcp2_path_validation_result result, void *self) {
  (void)quic, (void)flags;
  return path_was_validated(self, path, result);
}

static int on_new_token(ngtcp2_conn *quic, const ngtcp2_vec *token, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  connection->events.token(connection->self, (uls_h3_bytes){token->base, token->len});
  return 0;
}
#endif

static int on_path_challenge(ngtcp2_conn *quic, uint8_t *data, void *self) {
  (void)quic, (void)self;
  return RAND_bytes(data, NGTCP2_PATH_CHALLENGE_DATALEN) ? 0 : NGTCP2_ERR_CALLBACK_FAILURE;
}

static int on_version_negotiation(ngtcp2_conn *quic, uint32_t version, const ngtcp2_cid *id, void *self) {
  (void)quic, (void)version, (void)id, (void)self;
  return 0;
}

static int on_early_data_refused(ngtcp2_conn *quic, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  if (uls_reset_http(connection) != 0) return NGTCP2_ERR_CALLBACK_FAILURE;
  connection->events.early_data_refused(connection->self);
  return 0;
}

void uls_fill_callbacks(ngtcp2_callbacks *callbacks, int is_server) {
  memset(callbacks, 0, sizeof(*callbacks));
  if (is_server) {
    callbacks->recv_client_initial = on_server_initial;
  } else {
    callbacks->client_initial = on_client_initial;
    callbacks->recv_retry = on_retry;
  }
  callbacks->recv_crypto_data = on_crypto_data;
  callbacks->handshake_completed = on_handshake_completed;
  callbacks->handshake_confirmed = on_handshake_confirmed;
  callbacks->encrypt = uls_on_encrypt;
  callbacks->decrypt = uls_on_decrypt;
  callbacks->hp_mask = uls_on_hp_mask;
  callbacks->recv_stateless_reset = on_reset;
  callbacks->rand = on_random;
  callbacks->get_new_connection_id = on_new_id;
  callbacks->remove_connection_id = on_old_id;
  callbacks->update_key = uls_on_update_key;
  callbacks->path_validation = on_path_validation;
  callbacks->recv_new_token = on_new_token;
  callbacks->delete_crypto_aead_ctx = uls_on_delete_aead;
  callbacks->delete_crypto_cipher_ctx = uls_on_delete_cipher;
  callbacks->get_path_challenge_data = on_path_challenge;
  callbacks->version_negotiation = on_version_negotiation;
#if ULS_NGTCP2_1
  callbacks->tls_early_data_rejected = on_early_data_refused;
#else
  callbacks->early_data_rejected = on_early_data_refused;
#endif
  uls_fill_stream_callbacks(callbacks);
}

// MARK: creation

uls_h3 *uls_make(const uls_h3_settings *settings, const uls_h3_events *events, void *self) {
  uls_h3 *connection = calloc(1, sizeof(*connection));
  if (connection == NULL) return NULL;
  connection->settings = *settings;
  connection->events = *events;
  connection->self = self;
  for (int index = 0; index < CRITICAL_STREAMS; index++) connection->critical[index] = -1;
  n_close_error_default(&connection->close);
  return connection;
}

void uls_fill_settings(const uls_h3 *connection, ngtcp2_settings *settings, ngtcp2_transport_params *params, uint64_t now) {
  const uls_h3_settings *own = &connection->settings;
  ngtcp2_settings_default(settings);
  settings->initial_ts = now;
  settings->cc_algo = NGTCP2_CC_ALGO_CUBIC;
  settings->max_stream_window = own->maximum_stream_window;
  settings->max_window = own->maximum_connection_window;
  settings->handshake_timeout = own->handshake_timeout > 0 ? own->handshake_timeout : UINT64_MAX;
  if (own->maximum_datagram > 0) {
    settings->max_tx_udp_payload_size = own->maximum_datagram;
    settings->no_pmtud = 1;
  }
  ngtcp2_transport_params_default(params);
  params->initial_max_stream_data_bidi_local = own->stream_window;
  params->initial_max_stream_data_bidi_remote = own->stream_window;
  params->initial_max_stream_data_uni = 64 << 10;
  params->initial_max_data = own->connection_window;
  params->initial_max_streams_bidi = connection->is_server ? own->maximum_requests : 0;
  params->initial_max_streams_uni = 100;
  params->max_idle_timeout = own->idle_timeout;
  params->active_connection_id_limit = 7;
  params->disable_active_migration = connection->is_server && own->forbids_migration;
}

static int fail_client(uls_h3 *connection, void *ssl) {
  connection->ssl = NULL;
  uls_h3_free(connection);
  SSL_free(ssl);
  return 0;
}

enum { KEPT_VALUES = 8 };

#if !ULS_NGTCP2_1
static void remember_params(uls_h3 *connection, uls_h3_bytes transport) {
  uint64_t values[KEPT_VALUES];
  if (transport.length != sizeof(values)) return;
  memcpy(values, transport.data, sizeof(values));
  ngtcp2_transport_params params;
  ngtcp2_transport_params_default(&params);
  params.initial_max_stream_data_bidi_local = values[0];
  params.initial_max_stream_data_bidi_remote = values[1];
  params.initial_max_stream_data_uni = values[2];
  params.initial_max_data = values[3];
  params.initial_max_streams_bidi = values[4];
  params.initial_max_streams_uni = values[5];
  params.active_connection_id_limit = values[6];
  ngtcp2_conn_set_early_remote_transport_params(connection->quic, &params);
  connection->sends_early = 1;
}
#else
static void remember_params(uls_h3 *connection, uls_h3_bytes transport) {
  if (ngtcp2_conn_decode_and_set_0rtt_transport_params(connection->quic, transport.data, transport.length) == 0) connection->sends_early = 1;
}
#endif

size_t uls_h3_keep_transport(uls_h3 *connection, uint8_t *buffer, size_t capacity) {
#if ULS_NGTCP2_1
  ngtcp2_ssize length = ngtcp2_conn_encode_0rtt_transport_params(connection->quic, buffer, capacity);
  return length < 0 ? 0 : (size_t)length;
#else
  const ngtcp2_transport_params *params = ngtcp2_conn_get_remote_transport_params(connection->quic);
  uint64_t values[KEPT_VALUES] = {0};
  if (params == NULL || capacity < sizeof(values)) return 0;
  values[0] = params->initial_max_stream_data_bidi_local;
  values[1] = params->initial_max_stream_data_bidi_remote;
  values[2] = params->initial_max_stream_data_uni;
  values[3] = params->initial_max_data;
  values[4] = params->initial_max_streams_bidi;
  values[5] = params->initial_max_streams_uni;
  values[6] = params->active_connection_id_limit;
  memcpy(buffer, values, sizeof(values));
  return sizeof(values);
#endif
}

uls_h3 *uls_h3_client(
    void *ssl, const uls_h3_path *path, const uls_h3_settings *own, const uls_h3_events *events, void *self, uls_h3_bytes token,
    uls_h3_bytes transport, uint64_t now) {
  uls_h3 *connection = uls_make(own, events, self);
  if (connection == NULL) {
    SSL_free(ssl);
    return NULL;
  }
  RAND_bytes(connection->secret, sizeof(connection->secret));
  connection->ssl = ssl;
  ngtcp2_cid destination = {.datalen = 18}, source = {.datalen = CONNECTION_ID_LENGTH};
  RAND_bytes(destination.data, destination.datalen);
  RAND_bytes(source.data, source.datalen);
  ngtcp2_callbacks callbacks;
  ngtcp2_settings settings;
  ngtcp2_transport_params params;
  uls_fill_callbacks(&callbacks, 0);
  uls_fill_settings(connection, &settings, &params, now);
#if ULS_NGTCP2_1
  settings.token = token.data;
  settings.tokenlen = token.length;
  settings.token_type = NGTCP2_TOKEN_TYPE_NEW_TOKEN;
#else
  settings.token.base = (uint8_t *)token.data;
  settings.token.len = token.length;
#endif
  ngtcp2_path way = uls_path(path);
  int result = ngtcp2_conn_client_new(
      &connection->quic, &destination, &source, &way, NGTCP2_PROTO_VER_V1, &callbacks, &settings, &params, NULL, connection);
  if (result != 0) return fail_client(connection, ssl), NULL;
  ngtcp2_conn_set_tls_native_handle(connection->quic, ssl);
  if (uls_set_retry_aead(connection) != 0 || uls_prepare_tls(connection, ssl) != 0) return fail_client(connection, ssl), NULL;
  if (transport.length > 0) {
    SSL_set_early_data_enabled(ssl, 1);
    remember_params(connection, transport);
    if (connection->sends_early && uls_set_up_http(connection) != 0) connection->sends_early = 0;
  }
  return connection;
}

void uls_h3_free(uls_h3 *connection) {
  // nghttp3 and ngtcp2 don't report the end of the streams that are freed with them.
  if (connection->http != NULL) nghttp3_conn_del(connection->http);
  if (connection->quic != NULL) ngtcp2_conn_del(connection->quic);
  if (connection->ssl != NULL) SSL_free(connection->ssl);
  uls_free_streams(connection);
  while (connection->openings != NULL) uls_forget_opening(connection, connection->openings->id);
  explicit_bzero(connection->secret, sizeof(connection->secret));
  free(connection);
}

// MARK: packets

enum uls_h3_state uls_h3_read(uls_h3 *connection, const uls_h3_path *path, int ecn, uls_h3_bytes datagram, uint64_t now) {
  if (connection->state != ULS_H3_OPEN) return connection->state;
  ngtcp2_path way = uls_path(path);
  ngtcp2_pkt_info info = {.ecn = (uint8_t)(ecn & 3)};
  uls_has_decrypted = 0;
  int result = ngtcp2_conn_read_pkt(connection->quic, &way, &info, datagram.data, datagram.length, now);
  connection->was_heard = uls_has_decrypted;
  if (result != 0) uls_fail(connection, result);
  return connection->state;
}

int uls_h3_was_heard(uls_h3 *connection) { return connection->was_heard; }

uint64_t uls_h3_expiry(uls_h3 *connection) {
  if (connection->state == ULS_H3_OPEN) return ngtcp2_conn_get_expiry(connection->quic);
  return UINT64_MAX;
}

enum uls_h3_state uls_h3_expire(uls_h3 *connection, uint64_t now) {
  if (connection->state != ULS_H3_OPEN) return connection->state;
  int result = ngtcp2_conn_handle_expiry(connection->quic, now);
  if (result != 0) uls_fail(connection, result);
  return connection->state;
}

static int is_same_path(const uls_h3_path *left, const uls_h3_path *right) { return memcmp(left, right, sizeof(*left)) == 0; }

void uls_h3_watch_streams(uls_h3 *connection, uls_h3_stream_watcher watcher, uls_h3_stream_end_watcher ended) {
  connection->watcher = watcher;
  connection->end_watcher = ended;
}

/// Reports to the watcher that QUIC has taken the first `taken` bytes of the pieces for sending.
static void watch_sent(uls_h3 *connection, int64_t stream, const nghttp3_vec *pieces, size_t count, size_t taken) {
  for (size_t index = 0; index < count && taken > 0; index++) {
    size_t length = pieces[index].len < taken ? pieces[index].len : taken;
    connection->watcher(connection->self, stream, 1, (uls_h3_bytes){pieces[index].base, length});
    taken -= length;
  }
}

/// Writes one packet; 0 if there is none to be written, negative if the connection has failed.
static ngtcp2_ssize write_packet(
    uls_h3 *connection, uint8_t *buffer, size_t room, ngtcp2_path_storage *path, ngtcp2_pkt_info *info, uint64_t now) {
  ngtcp2_conn *quic = connection->quic;
  // Each turn writes something, blocks a stream or ends one: the bound only guards against a library that does neither.
  for (int turn = 0; turn < 100000; turn++) {
    int64_t stream = -1;
    int ends = 0;
    nghttp3_vec pieces[16];
    nghttp3_ssize count = 0;
    if (connection->http != NULL && ngtcp2_conn_get_max_data_left(quic) > 0) {
      count = nghttp3_conn_writev_stream(connection->http, &stream, &ends, pieces, 16);
      if (count < 0) {
        uls_fail_http(connection, (int)count);
        return NGTCP2_ERR_CALLBACK_FAILURE;
      }
    }
    if (stream < 0 && count == 0 && connection->http != NULL && ngtcp2_conn_get_max_data_left(quic) > 0) connection->has_more = 0;
    ngtcp2_ssize taken = -1;
    uint32_t flags = NGTCP2_WRITE_STREAM_FLAG_MORE | (ends ? NGTCP2_WRITE_STREAM_FLAG_FIN : 0);
    ngtcp2_ssize length = ngtcp2_conn_writev_stream(
        quic, &path->path, info, buffer, room, &taken, flags, stream, (const ngtcp2_vec *)pieces, (size_t)count, now);
    if (taken >= 0 && stream >= 0) {
      if (connection->watcher != NULL) watch_sent(connection, stream, pieces, (size_t)count, (size_t)taken);
      int result = nghttp3_conn_add_write_offset(connection->http, stream, (size_t)taken);
      if (result != 0) {
        uls_fail_http(connection, result);
        return NGTCP2_ERR_CALLBACK_FAILURE;
      }
      if (connection->is_server) uls_note_carried(connection, stream, (uint64_t)taken);
      if (ends && (uint64_t)taken == nghttp3_vec_len(pieces, (size_t)count) && uls_end_was_written(connection, stream) != 0) {
        return NGTCP2_ERR_CALLBACK_FAILURE;
      }
    }
    switch (length) {
      case NGTCP2_ERR_WRITE_MORE: continue;
      case NGTCP2_ERR_STREAM_DATA_BLOCKED: nghttp3_conn_block_stream(connection->http, stream); continue;
      case NGTCP2_ERR_STREAM_NOT_FOUND:
      case NGTCP2_ERR_STREAM_SHUT_WR: nghttp3_conn_shutdown_stream_write(connection->http, stream); continue;
      default: return length;
    }
  }
  return NGTCP2_ERR_INTERNAL;
}

static enum uls_h3_state write_close(uls_h3 *connection, uint8_t *buffer, uls_h3_batch *batch, uint64_t now) {
  if (connection->close_is_written) return connection->state;
  connection->close_is_written = 1;
  ngtcp2_path_storage path;
  ngtcp2_pkt_info info;
  ngtcp2_path_storage_zero(&path);
  ngtcp2_ssize length = ngtcp2_conn_write_connection_close(
      connection->quic, &path.path, &info, buffer, 1200, &connection->close, now);
  if (length > 0) {
    batch->length = batch->segment = (size_t)length;
    batch->ecn = info.ecn;
    copy_path(&batch->path, &path.path);
  }
  return connection->state;
}

static void take_left(uls_h3 *connection, uint8_t *buffer, uls_h3_batch *batch) {
  memcpy(buffer, connection->left, connection->left_length);
  batch->length = batch->segment = connection->left_length;
  batch->ecn = connection->left_ecn;
  batch->path = connection->left_path;
  connection->left_length = 0;
}

/// A burst has been written: ngtcp2 delays the next one, once bursts are paced.
static void end_burst(uls_h3 *connection, uint64_t now) {
  connection->is_bursting = 0;
  // With the time 0 it counts as sent long ago, so that it doesn't delay the next one.
  ngtcp2_conn_update_pkt_tx_time(connection->quic, connection->paces || ULS_NGTCP2_1 ? now : 0);
}

enum uls_h3_state uls_h3_write(uls_h3 *connection, uint8_t *buffer, size_t capacity, uls_h3_batch *batch, uint64_t now) {
  memset(batch, 0, sizeof(*batch));
  if (connection->state == ULS_H3_CLOSING) return write_close(connection, buffer, batch, now);
  if (connection->state != ULS_H3_OPEN) return connection->state;
  // A stream that waits, and has been cancelled since the last packet.
  if (connection->waiting_closes > 0 && uls_close_waiting(connection) != 0) {
    uls_fail(connection, NGTCP2_ERR_CALLBACK_FAILURE);
    return connection->state;
  }
  if (connection->left_length > 0 && connection->left_length <= capacity) take_left(connection, buffer, batch);
  if (!connection->is_bursting) {
    connection->is_bursting = 1;
    connection->quantum = ngtcp2_conn_get_send_quantum(connection->quic);
  }
  size_t largest = ngtcp2_conn_get_max_tx_udp_payload_size(connection->quic);
  if (largest > LARGEST_DATAGRAM) largest = LARGEST_DATAGRAM;
  // The kernel splits a send into at most 64 segments (UDP_SEGMENT).
  for (int packets = 0; packets < 60 && capacity - batch->length >= largest && connection->quantum > 0; packets++) {
    ngtcp2_path_storage path;
    ngtcp2_pkt_info info = {0};
    ngtcp2_path_storage_zero(&path);
    uint8_t *target = buffer + batch->length;
    ngtcp2_ssize written = write_packet(connection, target, largest, &path, &info, now);
    if (written < 0) {
      uls_fail(connection, (int)written);
      // The packets written so far are sent; the packet with CONNECTION_CLOSE comes with the next call.
      return connection->state;
    }
    if (written == 0) {
      end_burst(connection, now);
      return connection->state;
    }
    size_t length = (size_t)written;
    connection->quantum -= length < connection->quantum ? length : connection->quantum;
    uls_h3_path way;
    copy_path(&way, &path.path);
    int fits = batch->length == 0 || (length <= batch->segment && (int)info.ecn == batch->ecn && is_same_path(&way, &batch->path));
    if (!fits) {
      memcpy(connection->left, target, length);
      connection->left_length = length;
      connection->left_ecn = info.ecn;
      connection->left_path = way;
      return connection->state;
    }
    if (batch->length == 0) {
      batch->segment = length;
      batch->ecn = info.ecn;
      batch->path = way;
    }
    batch->length += length;
    // In a batch all datagrams except the last have the same length: a shorter one ends the batch.
    if (length < batch->segment) return connection->state;
  }
  if (connection->quantum == 0 && batch->length == 0) end_burst(connection, now);
  return connection->state;
}

// MARK: state of the connection

int uls_h3_may_migrate(uls_h3 *connection) {
  const ngtcp2_transport_params *peers = ngtcp2_conn_get_remote_transport_params(connection->quic);
  return peers == NULL || !peers->disable_active_migration;
}

int uls_h3_migrate(uls_h3 *connection, const uls_h3_path *path, uint64_t now) {
  if (connection->state != ULS_H3_OPEN || connection->is_server) return 0;
  ngtcp2_path way = uls_path(path);
  return ngtcp2_conn_initiate_immediate_migration(connection->quic, &way, now) == 0;
}

void uls_h3_keep_alive(uls_h3 *connection, uint64_t interval) {
  ngtcp2_conn_set_keep_alive_timeout(connection->quic, interval == 0 && ULS_NGTCP2_1 ? UINT64_MAX : interval);
}

int uls_h3_peer_allows_extended_connect(uls_h3 *connection) { return connection->allows_extended_connect; }

int uls_h3_sends_early(uls_h3 *connection) { return connection->sends_early && !connection->handshake_has_ended; }

int uls_h3_early_data_was_accepted(uls_h3 *connection) { return connection->sends_early && SSL_early_data_accepted(connection->ssl); }

uint32_t uls_h3_version(uls_h3 *connection) {
  uint32_t version = ngtcp2_conn_get_negotiated_version(connection->quic);
  return version != 0 ? version : ngtcp2_conn_get_client_chosen_version(connection->quic);
}

uint64_t uls_h3_congestion_window(uls_h3 *connection) {
  n_statistics found;
  n_get_statistics(connection->quic, &found);
  return found.cwnd;
}

uint64_t uls_h3_in_flight(uls_h3 *connection) {
  n_statistics found;
  n_get_statistics(connection->quic, &found);
  return found.bytes_in_flight;
}

#endif
