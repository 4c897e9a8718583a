#ifndef ULS_LOADING_QUIC_H
#define ULS_LOADING_QUIC_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// HTTP/3 (RFC 9114) over QUIC (RFC 9000), by nghttp3 and ngtcp2 of any supported version, with the BoringSSL inside NIOSSL.
//
// A `uls_h3` is one connection of a client or a server. It has no socket and reads no clock: the caller passes received datagrams and the time, and
// gets events, datagrams to send and the time of the next timer. A connection is used by one thread at a time; no function blocks.
// Times are nanoseconds of a monotonic clock. `ssl`, `session` and `ctx` are BoringSSL's SSL, SSL_SESSION and SSL_CTX.

typedef struct uls_h3 uls_h3;

typedef struct uls_h3_bytes {
  const uint8_t *data;
  size_t length;
} uls_h3_bytes;

typedef struct uls_h3_field {
  uls_h3_bytes name;
  uls_h3_bytes value;
  /// Whether the field is never indexed in a QPACK table (RFC 9204, 7.1.3).
  int is_secret;
} uls_h3_field;

/// The local and the remote address of packets.
typedef struct uls_h3_path {
  struct sockaddr_storage local;
  struct sockaddr_storage remote;
} uls_h3_path;

enum uls_h3_section { ULS_H3_INFORMATIONAL_OR_HEAD, ULS_H3_TRAILERS };

/// Events, called from within uls_h3_read, uls_h3_write, uls_h3_expire and uls_h3_continue. An event must not call these functions nor uls_h3_free;
/// all others are allowed. `self` is the pointer given to uls_h3_client; other pointers are valid during the call. No event may be NULL.
typedef struct uls_h3_events {
  /// The TLS handshake is complete for this side: data can be sent with 1-RTT keys; ALPN and the peer's transport parameters are known.
  void (*handshake_ended)(void *self);
  /// The handshake is confirmed (RFC 9001, 4.1.2): the path may change from now on.
  void (*confirmed)(void *self);
  /// A decoded field of a field section, possibly a pseudo-header field. `section_ended` follows the last one.
  void (*field)(void *self, int64_t stream, uls_h3_bytes name, uls_h3_bytes value);
  void (*section_ended)(void *self, int64_t stream, enum uls_h3_section section);
  /// A field section is longer than `maximum_section`, or has a field longer than nghttp3 accepts: its stream has been cancelled, or the connection
  /// fails. No more fields of the section are reported.
  void (*section_refused)(void *self, int64_t stream);
  /// Received body bytes. They count against the flow-control windows until uls_h3_consume and uls_h3_consume_connection return them.
  void (*data)(void *self, int64_t stream, uls_h3_bytes bytes);
  /// The peer has ended the stream, and all of it has been received. If `is_whole` is 0 the message is malformed: its body is shorter than its
  /// Content-Length, or its last data violates the protocol.
  void (*stream_ended)(void *self, int64_t stream, int is_whole);
  /// The peer has reset its sending side of the stream (RESET_STREAM).
  void (*stream_reset)(void *self, int64_t stream, uint64_t code);
  /// The peer doesn't want more data on the stream (STOP_SENDING): nothing more is sent on it.
  void (*stopped)(void *self, int64_t stream, uint64_t code);
  /// Both directions of the stream have ended. Its id is unknown from now on: functions called with it do nothing.
  void (*stream_closed)(void *self, int64_t stream, uint64_t code);
  /// The peer allows more streams to be opened.
  void (*streams_allowed)(void *self);
  /// GOAWAY: the peer doesn't process streams from `first` on. On a server `first` is a push id.
  void (*going_away)(void *self, int64_t first);
  /// A token for address validation on a later connection to this server (NEW_TOKEN).
  void (*token)(void *self, uls_h3_bytes token);
  /// The validation of the path to which the connection has migrated has succeeded; or failed, if `is_valid` is 0.
  void (*path_changed)(void *self, const uls_h3_path *path, int is_valid);
  /// On a client: the server has refused the early data. Its streams are gone (no other event reports that), and can be opened again.
  void (*early_data_refused)(void *self);
  /// The peer may use this connection id for the connection from now on, or, if `is_used` is 0, no longer: for servers with many connections on one
  /// socket.
  void (*names_connection)(void *self, uls_h3_bytes identifier, int is_used);
} uls_h3_events;

typedef struct uls_h3_settings {
  /// The flow-control windows in bytes, of each stream and of the connection: their initial sizes, and the maxima up to which they grow for fast
  /// readers.
  uint64_t stream_window, connection_window, maximum_stream_window, maximum_connection_window;
  /// Nanoseconds without a packet after which the connection is over; 0 for none.
  uint64_t idle_timeout;
  /// Nanoseconds within which the handshake must end; 0 for none.
  uint64_t handshake_timeout;
  /// On a server: the most request streams that the client may have open.
  uint64_t maximum_requests;
  /// The most bytes of a field section (RFC 9114, 4.2.2), the capacity of the peer's dynamic table in bytes, and the most streams that may be blocked
  /// by it (RFC 9204, 3.2.3 and 2.1.2).
  uint64_t maximum_section, table_capacity, blocked_streams;
  /// On a server: whether extended CONNECT (RFC 9220) is offered.
  int allows_extended_connect;
  /// On a server: whether clients must not migrate (disable_active_migration; RFC 9000, 18.2).
  int forbids_migration;
  /// The most bytes of a datagram's payload; 0 to use path MTU discovery.
  size_t maximum_datagram;
} uls_h3_settings;

uls_h3_settings uls_h3_default_settings(void);

/// Creates a client connection, which takes ownership of `ssl`: a new object with its server name, ALPN and verifier set. NULL if memory is short.
/// `token` (for address validation) and `transport` (for early data) are of an earlier connection, or empty.
uls_h3 *uls_h3_client(
    void *ssl, const uls_h3_path *path, const uls_h3_settings *settings, const uls_h3_events *events, void *self, uls_h3_bytes token,
    uls_h3_bytes transport, uint64_t now);

/// Called with the bytes of each stream that are handed to QUIC or received, in order, including stream types and frames. It must not call any
/// function of this library.
typedef void (*uls_h3_stream_watcher)(void *self, int64_t stream, int is_sent, uls_h3_bytes bytes);
/// Called when a stream has ended in all its directions: the watcher isn't called with it any more. Not for streams of refused early data.
typedef void (*uls_h3_stream_end_watcher)(void *self, int64_t stream);
/// Sets the watchers of streams, which are called with the same `self` as the events; NULL, as at first, for none.
void uls_h3_watch_streams(uls_h3 *connection, uls_h3_stream_watcher watcher, uls_h3_stream_end_watcher ended);

/// Frees the connection. No event is called.
void uls_h3_free(uls_h3 *connection);

// MARK: packets

/// The state of a connection after a call.
enum uls_h3_state {
  ULS_H3_OPEN,
  /// The connection has failed or been closed by this side (see uls_h3_failure): one last packet has to be written by uls_h3_write, then it is over.
  ULS_H3_CLOSING,
  /// The peer has ended the connection (see uls_h3_failure): no packet may be sent any more.
  ULS_H3_DRAINING,
  /// The connection has ended by a timeout or for want of a common version, or was dropped: no packet is to be written.
  ULS_H3_OVER,
};

/// Reads a received datagram.
/// - Parameter ecn: The two ECN bits of its IP header.
enum uls_h3_state uls_h3_read(uls_h3 *connection, const uls_h3_path *path, int ecn, uls_h3_bytes datagram, uint64_t now);

/// Whether the last datagram that was read came from the peer: a packet in it could be decrypted. A stateless reset with an unknown token, as from
/// a server that was restarted (RFC 9000, 10.3), doesn't count.
int uls_h3_was_heard(uls_h3 *connection);

typedef struct uls_h3_batch {
  /// The length of all datagrams together in bytes; 0 if there is nothing to send now.
  size_t length;
  /// The length of each datagram in bytes; the last one may be shorter.
  size_t segment;
  int ecn;
  uls_h3_path path;
} uls_h3_batch;
/// Writes datagrams for the same path, as many as the congestion window, pacing and `capacity` (at least 1500 bytes) allow. To be called until the
/// length is 0, after every call that may have produced something to send, and before uls_h3_expiry.
enum uls_h3_state uls_h3_write(uls_h3 *connection, uint8_t *buffer, size_t capacity, uls_h3_batch *batch, uint64_t now);

/// The time at which uls_h3_expire must be called; UINT64_MAX for never.
uint64_t uls_h3_expiry(uls_h3 *connection);
enum uls_h3_state uls_h3_expire(uls_h3 *connection, uint64_t now);

/// Continues a TLS handshake that waits: the verifier or responder that answered ULS_TLS_WAIT is called again.
enum uls_h3_state uls_h3_continue(uls_h3 *connection, uint64_t now);

enum uls_h3_side { ULS_H3_NONE, ULS_H3_TRANSPORT, ULS_H3_APPLICATION, ULS_H3_TLS, ULS_H3_TIMEOUT, ULS_H3_RESET, ULS_H3_VERSION };
typedef struct uls_h3_failure_facts {
  /// The layer that `code` belongs to. `is_peers`: whether the peer has reported the error; otherwise this side has detected it.
  enum uls_h3_side side;
  int is_peers;
  uint64_t code;
  /// The number of the TLS alert; 0 if there is none.
  uint8_t alert;
  /// A description of the error; valid as long as the connection exists.
  const char *text;
} uls_h3_failure_facts;
uls_h3_failure_facts uls_h3_failure(uls_h3 *connection);

/// Closes the connection with an HTTP/3 error code; one last packet has to be written by uls_h3_write.
void uls_h3_close(uls_h3 *connection, uint64_t code);

// MARK: requests and responses

/// The number of request streams that can be opened now; 0 before HTTP/3's own streams are open.
uint64_t uls_h3_free_streams(uls_h3 *connection);
/// Opens a stream and sends a request's head; unless `ends`, a body follows (uls_h3_send, uls_h3_finish). Returns the stream's id; negative if no
/// stream can be opened.
int64_t uls_h3_request(uls_h3 *connection, const uls_h3_field *fields, size_t count, int ends);
/// On a server: send an informational head, the final head, or (on a client too) trailers. Return 0 if the stream isn't known or it fails.
int uls_h3_inform(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count);
int uls_h3_respond(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count, int ends);
int uls_h3_trail(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count);
/// Queues body bytes, which are copied and kept until they are acknowledged. Returns 0 if the stream isn't known.
int uls_h3_send(uls_h3 *connection, int64_t stream, uls_h3_bytes bytes);
/// Ends the body: no more bytes follow. Returns 0 if the stream isn't known.
int uls_h3_finish(uls_h3 *connection, int64_t stream);
/// The number of bytes given to uls_h3_send that haven't been sent, and the number that the peer hasn't acknowledged.
size_t uls_h3_unsent(uls_h3 *connection, int64_t stream);
size_t uls_h3_unacknowledged(uls_h3 *connection, int64_t stream);
/// On a server: whether the peer has acknowledged everything sent on the stream, heads included. To be called after uls_h3_write.
int uls_h3_is_delivered(uls_h3 *connection, int64_t stream);
/// Widens the stream's flow-control window: the peer may send `count` more bytes on it.
void uls_h3_consume(uls_h3 *connection, int64_t stream, size_t count);
/// Widens the connection's flow-control window by `count` bytes. All bytes of `data` events have to be returned by this call in the end.
void uls_h3_consume_connection(uls_h3 *connection, size_t count);
/// Cancels both directions of a stream (RESET_STREAM, STOP_SENDING). Events of the stream other than `data` may follow.
void uls_h3_cancel(uls_h3 *connection, int64_t stream, uint64_t code);
/// Cancel the receiving direction only (STOP_SENDING), or the sending direction only (RESET_STREAM).
void uls_h3_stop_reading(uls_h3 *connection, int64_t stream, uint64_t code);
void uls_h3_reset_writing(uls_h3 *connection, int64_t stream, uint64_t code);
/// On a client: sends PRIORITY_UPDATE (RFC 9218, 7.2) for a request. Returns 0 if nghttp3 doesn't support that or the stream isn't known.
int uls_h3_prioritise(uls_h3 *connection, int64_t stream, int urgency, int is_incremental);
/// Sends GOAWAY: no requests are accepted beyond those received already.
void uls_h3_go_away(uls_h3 *connection);

// MARK: state of the connection

/// Whether the peer allows migration; meaningful once the handshake is complete.
int uls_h3_may_migrate(uls_h3 *connection);
/// Migrates a client's connection to another local address at once. Returns 0 if that isn't possible, as when the peer forbids it, the handshake
/// isn't confirmed or no connection id is left.
int uls_h3_migrate(uls_h3 *connection, const uls_h3_path *path, uint64_t now);
/// Has a PING sent whenever nothing has arrived for `interval` nanoseconds; 0 for never.
void uls_h3_keep_alive(uls_h3 *connection, uint64_t interval);
int uls_h3_peer_allows_extended_connect(uls_h3 *connection);
/// Writes the server's transport parameters, encoded, which have to be kept with a ticket for early data. Returns their length; 0 if there are none.
size_t uls_h3_keep_transport(uls_h3 *connection, uint8_t *buffer, size_t capacity);
/// Whether early data can be sent now: the handshake isn't complete, and requests go out with the first flight.
int uls_h3_sends_early(uls_h3 *connection);
int uls_h3_early_data_was_accepted(uls_h3 *connection);
/// The QUIC version in use (1, or 0x6b3343cf for version 2).
uint32_t uls_h3_version(uls_h3 *connection);
/// The congestion window: the most bytes that may be in flight.
uint64_t uls_h3_congestion_window(uls_h3 *connection);
/// The number of bytes in flight: sent, and neither acknowledged nor declared lost.
uint64_t uls_h3_in_flight(uls_h3 *connection);

#endif
