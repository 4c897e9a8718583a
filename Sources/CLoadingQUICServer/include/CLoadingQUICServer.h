#ifndef ULS_LOADING_QUICSERVER_H
#define ULS_LOADING_QUICSERVER_H

#include "CLoadingQUIC.h"

// The server's side of CLoadingQUIC, for tests: what comes before a connection, its making, and its TLS. The connection itself is an `uls_h3`.

/// What a server does with a datagram that belongs to no connection that it knows.
enum uls_h3_arrival {
  /// A new connection: uls_h3_server, then uls_h3_read.
  ULS_H3_NEW,
  /// `reply` is to be sent: of version negotiation or Retry.
  ULS_H3_REPLY,
  ULS_H3_NOTHING,
};
typedef struct uls_h3_greeting {
  uint8_t destination[20], source[20], original[20];
  size_t destination_length, source_length, original_length;
  uint32_t version;
  int was_retried;
  uint8_t reply[1500];
  size_t reply_length;
} uls_h3_greeting;
/// - Parameter secret: 32 bytes of the server's, by which it knows its own Retry tokens. `asks_again`: whether clients without one get Retry.
enum uls_h3_arrival uls_h3_greet(
    uls_h3_bytes datagram, const uls_h3_path *path, const uint8_t *secret, int asks_again, uint64_t now, uls_h3_greeting *greeting);
/// The connection id that a datagram names, for a server whose ids have 16 bytes; length 0 if it can't be read.
uls_h3_bytes uls_h3_destination_of(uls_h3_bytes datagram);
/// A server's connection; it takes `ssl`, which is fresh.
uls_h3 *uls_h3_server(
    void *ssl, const uls_h3_greeting *greeting, const uls_h3_path *path, const uls_h3_settings *settings, const uls_h3_events *events,
    void *self, const uint8_t *secret, uint64_t now);

/// Bytes that the client takes now on all streams together.
uint64_t uls_h3_client_room(uls_h3 *connection);

// MARK: streams without packets

/// Has a client's connection, whose handshake hasn't begun, take itself for one with `count` requests that wait for their answers. 0 if it can't.
int uls_h3_pretend_requests(uls_h3 *connection, size_t count);
/// Tells it what a server sends on a stream. 0 if the connection has failed.
int uls_h3_pretend_data(uls_h3 *connection, int64_t stream, uint64_t offset, uls_h3_bytes bytes, int ends);

// MARK: a server's TLS

/// Keys to decrypt ClientHellos (RFC 9849), over TCP or QUIC: a fresh pair, whose configuration has this number and public name. NULL if there can be
/// none.
void *uls_ech_keys_new(uint8_t identifier, const char *public_name);
void uls_ech_keys_free(void *keys);
/// Writes the ECHConfigList for the DNS, and returns its length; 0 if `capacity` is too small.
size_t uls_ech_keys_list(const void *keys, uint8_t *buffer, size_t capacity);
/// Has connections of `ctx`, present and future, decrypt by these keys alone, and send their list to clients with others. 0 if that can't be.
int uls_ech_keys_use(void *ctx, void *keys);

/// Has connections of `ctx`, over TCP or QUIC, send these where the client asks: a SignedCertificateTimestampList, and an OCSP response. Length 0 sends
/// none. 0 if the list is malformed.
int uls_server_send_proofs(void *ctx, const uint8_t *timestamps, size_t timestamps_length, const uint8_t *staple, size_t staple_length);

/// Has connections of `ctx`, which has a certificate, agree on "h3" and nothing else. Once for each context.
void uls_h3_prepare_server_context(void *ctx, int accepts_early_data);
/// TLS of a new connection, for uls_h3_server. It may refuse early data that a ticket of its context allows. NULL without memory.
void *uls_h3_server_tls(void *ctx, int refuses_early_data);

#endif
