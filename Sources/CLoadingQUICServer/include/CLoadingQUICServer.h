#ifndef ULS_LOADING_QUICSERVER_H
#define ULS_LOADING_QUICSERVER_H

#include "CLoadingQUIC.h"

// The server's side of CLoadingQUIC, for tests: handling of datagrams before a connection exists, creation of a connection, and its TLS. The
// connection itself is an `uls_h3`, as a client's.

/// The result of uls_h3_greet for a datagram that belongs to no existing connection.
enum uls_h3_arrival {
  /// The datagram begins a new connection: the server calls uls_h3_server, then uls_h3_read with the datagram.
  ULS_H3_NEW,
  /// `reply`, a Version Negotiation or Retry packet, is to be sent to the client.
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
/// Examines a datagram that belongs to no existing connection, and fills in `greeting`.
///
/// - Parameter secret: 32 bytes by which the server authenticates its own Retry tokens. `asks_again`: whether a client without a valid token is sent
///   a Retry packet.
enum uls_h3_arrival uls_h3_greet(
    uls_h3_bytes datagram, const uls_h3_path *path, const uint8_t *secret, int asks_again, uint64_t now, uls_h3_greeting *greeting);
/// The destination connection ID of a datagram, for a server whose IDs have 16 bytes; length 0 if the datagram can't be parsed.
uls_h3_bytes uls_h3_destination_of(uls_h3_bytes datagram);
/// Creates a server's connection and takes over `ssl`, which must be new (uls_h3_server_tls). NULL on failure; `ssl` is freed then too.
uls_h3 *uls_h3_server(
    void *ssl, const uls_h3_greeting *greeting, const uls_h3_path *path, const uls_h3_settings *settings, const uls_h3_events *events,
    void *self, const uint8_t *secret, uint64_t now);

/// The number of bytes that the client's flow control still allows the server to send, on all streams together.
uint64_t uls_h3_client_room(uls_h3 *connection);

// MARK: - Streams without packets, for tests

/// Prepares a client's connection whose handshake hasn't begun: it behaves as if `count` requests had been sent and were waiting for their responses.
/// Returns 1, or 0 on failure.
int uls_h3_pretend_requests(uls_h3 *connection, size_t count);
/// Feeds a client's connection with bytes as if a server had sent them on a stream. Returns 0 if the connection has failed because of them, otherwise
/// 1.
int uls_h3_pretend_data(uls_h3 *connection, int64_t stream, uint64_t offset, uls_h3_bytes bytes, int ends);

// MARK: - TLS of a server

/// Creates a key pair to decrypt ClientHellos (Encrypted Client Hello, RFC 9849), for TCP or QUIC; its configuration has this identifier and public
/// name. NULL on failure.
void *uls_ech_keys_new(uint8_t identifier, const char *public_name);
void uls_ech_keys_free(void *keys);
/// Writes the ECHConfigList that the DNS publishes, and returns its length; 0 if `capacity` is too small.
size_t uls_ech_keys_list(const void *keys, uint8_t *buffer, size_t capacity);
/// Makes connections of `ctx` decrypt with these keys only; clients that use other keys are sent this configuration list. Returns 0 on failure.
int uls_ech_keys_use(void *ctx, void *keys);

/// Makes connections of `ctx`, over TCP or QUIC, send a SignedCertificateTimestampList and an OCSP response to clients that ask for them. Nothing is
/// sent for a length of 0. Returns 0 if the list is malformed.
int uls_server_send_proofs(void *ctx, const uint8_t *timestamps, size_t timestamps_length, const uint8_t *staple, size_t staple_length);

/// Makes connections of `ctx`, which must have a certificate, negotiate TLS 1.3 and the protocol "h3" only. Called once for each context.
void uls_h3_prepare_server_context(void *ctx, int accepts_early_data);
/// Creates the TLS object of a new connection, for uls_h3_server. With `refuses_early_data` it refuses early data even if the client's ticket allows
/// it. NULL if memory is short.
void *uls_h3_server_tls(void *ctx, int refuses_early_data);

#endif
