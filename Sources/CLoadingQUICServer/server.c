#ifdef LOADING_HTTP3

#include <string.h>

#include "../CLoadingQUIC/internal.h"
#include "CLoadingQUICServer.h"

// The server's handling of datagrams before a connection exists (RFC 9000, 5.2.2, 6 and 8.1), and the creation of connections.

enum { RETRY_MARK = 0xb6, TAG = 16, TOKEN_MAXIMUM = 1 + 8 + 1 + NGTCP2_MAX_CIDLEN + TAG };

/// How long a Retry token is valid, in nanoseconds.
static const uint64_t token_lifetime = 30ull * NGTCP2_SECONDS;

uls_h3_bytes uls_h3_destination_of(uls_h3_bytes datagram) {
  ngtcp2_version_cid found;
  int result = ngtcp2_pkt_decode_version_cid(&found, datagram.data, datagram.length, CONNECTION_ID_LENGTH);
  if (result != 0 && result != NGTCP2_ERR_VERSION_NEGOTIATION) return (uls_h3_bytes){NULL, 0};
  return (uls_h3_bytes){found.dcid, found.dcidlen};
}

static int sign(const uint8_t *secret, const uint8_t *token, size_t length, const uls_h3_path *path, uint8_t *tag) {
  uint8_t text[TOKEN_MAXIMUM + sizeof(path->remote)];
  uint8_t digest[64];
  unsigned written = 0;
  memcpy(text, token, length);
  memcpy(text + length, &path->remote, sizeof(path->remote));
  if (HMAC(EVP_sha256(), secret, 32, text, length + sizeof(path->remote), digest, &written) == NULL) return -1;
  memcpy(tag, digest, TAG);
  return 0;
}

static size_t make_token(uint8_t *token, const uint8_t *secret, const ngtcp2_cid *original, const uls_h3_path *path, uint64_t now) {
  size_t length = 0;
  token[length++] = RETRY_MARK;
  memcpy(token + length, &now, sizeof(now));
  length += sizeof(now);
  token[length++] = (uint8_t)original->datalen;
  memcpy(token + length, original->data, original->datalen);
  length += original->datalen;
  if (sign(secret, token, length, path, token + length) != 0) return 0;
  return length + TAG;
}

/// Whether a Retry token was made by this server, for this client address, and not longer ago than token_lifetime. If so, writes the original
/// destination connection ID to `greeting`.
static int check_token(ngtcp2_vec token, const uint8_t *secret, const uls_h3_path *path, uint64_t now, uls_h3_greeting *greeting) {
  if (token.len < 1 + 8 + 1 + TAG || token.len > TOKEN_MAXIMUM || token.base[0] != RETRY_MARK) return 0;
  size_t length = token.len - TAG;
  uint8_t tag[TAG];
  if (sign(secret, token.base, length, path, tag) != 0 || CRYPTO_memcmp(tag, token.base + length, TAG) != 0) return 0;
  uint64_t made;
  memcpy(&made, token.base + 1, sizeof(made));
  size_t id_length = token.base[9];
  if (now - made > token_lifetime || length != 10 + id_length || id_length > sizeof(greeting->original)) return 0;
  memcpy(greeting->original, token.base + 10, id_length);
  greeting->original_length = id_length;
  greeting->was_retried = 1;
  return 1;
}

static enum uls_h3_arrival negotiate_version(const ngtcp2_version_cid *found, uls_h3_greeting *greeting) {
  static const uint32_t versions[] = {NGTCP2_PROTO_VER_V1};
  uint8_t random;
  RAND_bytes(&random, 1);
  ngtcp2_ssize length = ngtcp2_pkt_write_version_negotiation(
      greeting->reply, sizeof(greeting->reply), random, found->scid, found->scidlen, found->dcid, found->dcidlen, versions, 1);
  if (length <= 0) return ULS_H3_NOTHING;
  greeting->reply_length = (size_t)length;
  return ULS_H3_REPLY;
}

static enum uls_h3_arrival retry(
    const ngtcp2_pkt_hd *header, const uls_h3_path *path, const uint8_t *secret, uint64_t now, uls_h3_greeting *greeting) {
  uint8_t token[TOKEN_MAXIMUM];
  ngtcp2_cid source = {.datalen = CONNECTION_ID_LENGTH};
  RAND_bytes(source.data, source.datalen);
  size_t token_length = make_token(token, secret, &header->dcid, path, now);
  ngtcp2_crypto_aead aead = uls_retry_aead();
  ngtcp2_crypto_aead_ctx ctx = {uls_aead_for_retry()};
  ngtcp2_ssize length = ngtcp2_pkt_write_retry(
      greeting->reply, sizeof(greeting->reply), header->version, &header->scid, &source, &header->dcid, token, token_length, uls_on_encrypt,
      &aead, &ctx);
  uls_on_delete_aead(NULL, &ctx, NULL);
  if (length <= 0) return ULS_H3_NOTHING;
  greeting->reply_length = (size_t)length;
  return ULS_H3_REPLY;
}

enum uls_h3_arrival uls_h3_greet(
    uls_h3_bytes datagram, const uls_h3_path *path, const uint8_t *secret, int asks_again, uint64_t now, uls_h3_greeting *greeting) {
  memset(greeting, 0, sizeof(*greeting));
  ngtcp2_version_cid found;
  int result = ngtcp2_pkt_decode_version_cid(&found, datagram.data, datagram.length, CONNECTION_ID_LENGTH);
  if (result == NGTCP2_ERR_VERSION_NEGOTIATION) return datagram.length < 1200 ? ULS_H3_NOTHING : negotiate_version(&found, greeting);
  if (result != 0) return ULS_H3_NOTHING;
  ngtcp2_pkt_hd header;
  result = ngtcp2_accept(&header, datagram.data, datagram.length);
  if (result != 0 && result != NGTCP2_ERR_RETRY) return ULS_H3_NOTHING;
  if (header.version != NGTCP2_PROTO_VER_V1) return negotiate_version(&found, greeting);
  int is_known = check_token(n_token(header), secret, path, now, greeting);
  if (!is_known && asks_again) return retry(&header, path, secret, now, greeting);
  memcpy(greeting->destination, header.dcid.data, header.dcid.datalen);
  greeting->destination_length = header.dcid.datalen;
  memcpy(greeting->source, header.scid.data, header.scid.datalen);
  greeting->source_length = header.scid.datalen;
  greeting->version = header.version;
  return ULS_H3_NEW;
}

uint64_t uls_h3_client_room(uls_h3 *connection) { return ngtcp2_conn_get_max_data_left(connection->quic); }

uls_h3 *uls_h3_server(
    void *ssl, const uls_h3_greeting *greeting, const uls_h3_path *path, const uls_h3_settings *own, const uls_h3_events *events, void *self,
    const uint8_t *secret, uint64_t now) {
  uls_h3 *connection = uls_make(own, events, self);
  if (connection == NULL) {
    SSL_free(ssl);
    return NULL;
  }
  connection->is_server = 1;
  memcpy(connection->secret, secret, sizeof(connection->secret));
  ngtcp2_callbacks callbacks;
  ngtcp2_settings settings;
  ngtcp2_transport_params params;
  uls_fill_callbacks(&callbacks, 1);
  uls_fill_settings(connection, &settings, &params, now);
  ngtcp2_cid source = {.datalen = CONNECTION_ID_LENGTH}, peer, original;
  ngtcp2_cid_init(&peer, greeting->source, greeting->source_length);
  if (greeting->was_retried) {
    ngtcp2_cid_init(&original, greeting->original, greeting->original_length);
    ngtcp2_cid_init(&params.retry_scid, greeting->destination, greeting->destination_length);
    params.retry_scid_present = 1;
  } else {
    ngtcp2_cid_init(&original, greeting->destination, greeting->destination_length);
  }
  params.original_dcid = original;
#if ULS_NGTCP2_1
  params.original_dcid_present = 1;
#endif
  params.stateless_reset_token_present = 1;
  uls_new_id(source.data, source.datalen, params.stateless_reset_token, connection->secret);
  ngtcp2_path way = uls_path(path);
  int result = ngtcp2_conn_server_new(
      &connection->quic, &peer, &source, &way, greeting->version, &callbacks, &settings, &params, NULL, connection);
  if (result != 0) {
    uls_h3_free(connection);
    SSL_free(ssl);
    return NULL;
  }
  connection->ssl = ssl;
  ngtcp2_conn_set_tls_native_handle(connection->quic, ssl);
  if (uls_prepare_tls(connection, ssl) != 0) {
    uls_h3_free(connection);
    return NULL;
  }
  connection->events.names_connection(self, (uls_h3_bytes){source.data, source.datalen}, 1);
  connection->events.names_connection(self, (uls_h3_bytes){greeting->destination, greeting->destination_length}, 1);
  return connection;
}

#endif
