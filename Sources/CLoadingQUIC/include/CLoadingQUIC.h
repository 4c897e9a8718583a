#ifndef ULS_LOADING_QUIC_H
#define ULS_LOADING_QUIC_H

#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

// HTTP/3 (RFC 9114) on QUIC (RFC 9000) by nghttp3 and ngtcp2, whichever version of them is installed, with the BoringSSL inside NIOSSL.
//
// An `uls_h3` is one connection, of a client or a server. It owns no socket and no clock: datagrams and the time go in, datagrams, events and
// the time of the next wake come out. Everything of one connection on one thread at a time; nothing here blocks.
// Times are nanoseconds of a clock that doesn't go backwards. `ssl`, `session` and `ctx` are BoringSSL's SSL, SSL_SESSION and SSL_CTX.

typedef struct uls_h3 uls_h3;

typedef struct uls_h3_bytes {
  const uint8_t *data;
  size_t length;
} uls_h3_bytes;

typedef struct uls_h3_field {
  uls_h3_bytes name;
  uls_h3_bytes value;
  /// Whether no table may keep it (RFC 9204, 7.1.3).
  int is_secret;
} uls_h3_field;

/// Two addresses between which packets travel.
typedef struct uls_h3_path {
  struct sockaddr_storage local;
  struct sockaddr_storage remote;
} uls_h3_path;

enum uls_h3_section { ULS_H3_INFORMATIONAL_OR_HEAD, ULS_H3_TRAILERS };

/// Events. All are called from within uls_h3_read, uls_h3_write, uls_h3_expire, uls_h3_continue; none of those may be called from an event,
/// nor uls_h3_free; everything else may. `self` is what the connection was made with; pointers hold during the call. None may be NULL.
typedef struct uls_h3_events {
  /// Packets can be exchanged with the final keys; ALPN and the peer's transport parameters are known.
  void (*handshake_ended)(void *self);
  /// The handshake is confirmed (RFC 9001, 4.1.2): the path may change from now on.
  void (*confirmed)(void *self);
  /// One field of a section that is being read; pseudo-header fields too. `section_ended` follows the last one.
  void (*field)(void *self, int64_t stream, uls_h3_bytes name, uls_h3_bytes value);
  void (*section_ended)(void *self, int64_t stream, enum uls_h3_section section);
  /// The section that is being read is longer than `maximum_section`, or one of its fields longer than nghttp3 takes: the stream has been
  /// cancelled, or the connection fails. Nothing more of the section is read.
  void (*section_refused)(void *self, int64_t stream);
  /// Body bytes. They count against the windows until `uls_h3_consume` and `uls_h3_consume_connection`.
  void (*data)(void *self, int64_t stream, uls_h3_bytes bytes);
  /// Nothing follows from the peer on this stream: all of it has arrived. With `is_whole` 0 the message is at fault: its body ends before its
  /// length, or what came together with its end breaks the rules.
  void (*stream_ended)(void *self, int64_t stream, int is_whole);
  /// The peer has broken off what it was sending (RESET_STREAM).
  void (*stream_reset)(void *self, int64_t stream, uint64_t code);
  /// The peer doesn't read on (STOP_SENDING): nothing more is sent.
  void (*stopped)(void *self, int64_t stream, uint64_t code);
  /// Both directions are over; the stream is known no more: functions that are given it do nothing.
  void (*stream_closed)(void *self, int64_t stream, uint64_t code);
  /// More streams can be opened than before.
  void (*streams_allowed)(void *self);
  /// GOAWAY: streams of `first` and above are not looked at; to a server, a push id.
  void (*going_away)(void *self, int64_t first);
  /// A token for later connections to this server (NEW_TOKEN).
  void (*token)(void *self, uls_h3_bytes token);
  /// Packets travel on another path from now on, which was validated; or `is_valid` is 0: that path doesn't lead to the peer.
  void (*path_changed)(void *self, const uls_h3_path *path, int is_valid);
  /// To a client: what was sent with early data has been refused. Its streams are gone (no other event tells), and can be opened again.
  void (*early_data_refused)(void *self);
  /// A connection id by which the peer may name this connection from now on, or no longer does: for servers that serve many on one socket.
  void (*names_connection)(void *self, uls_h3_bytes identifier, int is_used);
} uls_h3_events;

typedef struct uls_h3_settings {
  /// Bytes of one stream, and of all, that the peer may send ahead; they grow up to the maxima where the reader is fast.
  uint64_t stream_window, connection_window, maximum_stream_window, maximum_connection_window;
  /// Nanoseconds without a packet after which the connection is over; 0 for none.
  uint64_t idle_timeout;
  /// Nanoseconds within which the handshake must end; 0 for none.
  uint64_t handshake_timeout;
  /// Streams of requests that the peer may have open (to a server).
  uint64_t maximum_requests;
  /// Bytes of one field section (RFC 9114, 4.2.2), of the peer's dynamic table (RFC 9204), and streams that may wait for it.
  uint64_t maximum_section, table_capacity, blocked_streams;
  /// Whether extended CONNECT is offered (RFC 9220), by a server.
  int allows_extended_connect;
  /// The largest datagram's payload; 0 for what path MTU discovery finds.
  size_t maximum_datagram;
} uls_h3_settings;

uls_h3_settings uls_h3_default_settings(void);

/// A client's connection; it takes `ssl`, which is fresh, has its server name, ALPN and verifier, and frees it. NULL without memory.
/// `token` and `transport` are of an earlier connection, for its address and for early data, or empty.
uls_h3 *uls_h3_client(
    void *ssl, const uls_h3_path *path, const uls_h3_settings *settings, const uls_h3_events *events, void *self, uls_h3_bytes token,
    uls_h3_bytes transport, uint64_t now);

/// Told of what is handed to QUIC for a stream, and what comes on one, in order: a stream's bytes, its type and its frames among them. Nothing
/// may be called from it.
typedef void (*uls_h3_stream_watcher)(void *self, int64_t stream, int is_sent, uls_h3_bytes bytes);
/// Has `watcher` told, with the `self` of the events; NULL for none, which is how a connection begins.
void uls_h3_watch_streams(uls_h3 *connection, uls_h3_stream_watcher watcher);

/// No event follows.
void uls_h3_free(uls_h3 *connection);

// MARK: packets

/// How a connection stands after a call.
enum uls_h3_state {
  ULS_H3_OPEN,
  /// It has failed, or the peer broke the rules: uls_h3_failure tells; a last packet is to be written (uls_h3_write), then it is over.
  ULS_H3_CLOSING,
  /// The peer has closed it: uls_h3_failure tells.
  ULS_H3_DRAINING,
  /// Idle for too long, reset statelessly, or dropped: nothing is to be written.
  ULS_H3_OVER,
};

/// - Parameter ecn: The two bits of the IP header.
enum uls_h3_state uls_h3_read(uls_h3 *connection, const uls_h3_path *path, int ecn, uls_h3_bytes datagram, uint64_t now);

/// Whether the datagram that was read last has come from the peer: a packet in it could be decrypted. A server that has restarted may send
/// stateless resets with tokens that the connection doesn't know (RFC 9000, 10.3): these don't count.
int uls_h3_was_heard(uls_h3 *connection);

typedef struct uls_h3_batch {
  /// Bytes in all; 0 if there is nothing to send now.
  size_t length;
  /// Bytes of each datagram but the last.
  size_t segment;
  int ecn;
  uls_h3_path path;
} uls_h3_batch;
/// Writes datagrams that go the same way, as many as the congestion window, pacing and `capacity` (at least 1500) allow. To be called until
/// the length is 0, after every call that may have made something to send, and before uls_h3_expiry is asked.
enum uls_h3_state uls_h3_write(uls_h3 *connection, uint8_t *buffer, size_t capacity, uls_h3_batch *batch, uint64_t now);

/// When uls_h3_expire is to be called; UINT64_MAX for never.
uint64_t uls_h3_expiry(uls_h3 *connection);
enum uls_h3_state uls_h3_expire(uls_h3 *connection, uint64_t now);

/// The answer that the TLS handshake waited for is there (a verifier that said "retry").
enum uls_h3_state uls_h3_continue(uls_h3 *connection, uint64_t now);

enum uls_h3_side { ULS_H3_NONE, ULS_H3_TRANSPORT, ULS_H3_APPLICATION, ULS_H3_TLS, ULS_H3_TIMEOUT, ULS_H3_RESET, ULS_H3_VERSION };
typedef struct uls_h3_failure_facts {
  /// Which layer's `code` it is. `is_peers`: the peer has said it; otherwise this side has.
  enum uls_h3_side side;
  int is_peers;
  uint64_t code;
  /// The alert's number, of TLS.
  uint8_t alert;
  /// A library's words; there as long as the connection.
  const char *text;
} uls_h3_failure_facts;
uls_h3_failure_facts uls_h3_failure(uls_h3 *connection);

/// Ends the connection with an HTTP/3 code: a last packet is to be written.
void uls_h3_close(uls_h3 *connection, uint64_t code);

// MARK: requests and responses

/// Streams of requests that can be opened now; 0 as long as the streams that HTTP/3 itself needs aren't.
uint64_t uls_h3_free_streams(uls_h3 *connection);
/// Opens a stream with a request's head; more follows (uls_h3_send, uls_h3_finish) unless `ends`. Negative: it can't be.
int64_t uls_h3_request(uls_h3 *connection, const uls_h3_field *fields, size_t count, int ends);
/// A server's answer: informational heads, then one final, then trailers. 0 if the stream is known no more.
int uls_h3_inform(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count);
int uls_h3_respond(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count, int ends);
int uls_h3_trail(uls_h3 *connection, int64_t stream, const uls_h3_field *fields, size_t count);
/// Body bytes; they are copied, and kept until they are acknowledged.
int uls_h3_send(uls_h3 *connection, int64_t stream, uls_h3_bytes bytes);
/// Nothing follows uls_h3_send.
int uls_h3_finish(uls_h3 *connection, int64_t stream);
/// Bytes given to uls_h3_send that haven't been sent yet; and those not acknowledged yet.
size_t uls_h3_unsent(uls_h3 *connection, int64_t stream);
size_t uls_h3_unacknowledged(uls_h3 *connection, int64_t stream);
/// A server's: whether the peer has acknowledged all that the stream was given, heads included. To be asked after uls_h3_write.
int uls_h3_is_delivered(uls_h3 *connection, int64_t stream);
/// The peer may send `count` bytes more on the stream.
void uls_h3_consume(uls_h3 *connection, int64_t stream, size_t count);
/// The peer may send `count` bytes more on all streams together. Every byte of `data` is to be given back by this as well, sooner or later.
void uls_h3_consume_connection(uls_h3 *connection, size_t count);
/// Breaks both directions off (RESET_STREAM, STOP_SENDING). Events of the stream may follow but `data`.
void uls_h3_cancel(uls_h3 *connection, int64_t stream, uint64_t code);
/// Only the reading direction (STOP_SENDING), or the writing (RESET_STREAM).
void uls_h3_stop_reading(uls_h3 *connection, int64_t stream, uint64_t code);
void uls_h3_reset_writing(uls_h3 *connection, int64_t stream, uint64_t code);
/// A client's PRIORITY_UPDATE (RFC 9218, 7.2), where the library can; 0 if it can't.
int uls_h3_prioritise(uls_h3 *connection, int64_t stream, int urgency, int is_incremental);
/// GOAWAY: no more requests are taken than those seen.
void uls_h3_go_away(uls_h3 *connection);

// MARK: the connection

/// Moves to another local address at once; packets to be written use it. 0 if it can't be (the peer forbids it, or isn't confirmed).
int uls_h3_migrate(uls_h3 *connection, const uls_h3_path *path, uint64_t now);
/// Has a PING sent whenever nothing has arrived for `interval` nanoseconds; 0 for never.
void uls_h3_keep_alive(uls_h3 *connection, uint64_t interval);
int uls_h3_peer_allows_extended_connect(uls_h3 *connection);
/// What of the handshake's transport parameters has to be kept with a ticket for early data. Length written; 0 if there is none.
size_t uls_h3_keep_transport(uls_h3 *connection, uint8_t *buffer, size_t capacity);
/// Whether early data can be sent now: requests opened go with the first flight.
int uls_h3_sends_early(uls_h3 *connection);
int uls_h3_early_data_was_accepted(uls_h3 *connection);
/// The QUIC version in use (1, or 0x6b3343cf for version 2).
uint32_t uls_h3_version(uls_h3 *connection);
/// Bytes that may be in flight.
uint64_t uls_h3_congestion_window(uls_h3 *connection);
/// Bytes that are: sent, and neither acknowledged nor lost.
uint64_t uls_h3_in_flight(uls_h3 *connection);

#endif
