#ifndef ULS_QUIC_INTERNAL_H
#define ULS_QUIC_INTERNAL_H

#include "CLoadingQUIC.h"
#include "boringssl.h"
#include "versions.h"

enum { CONNECTION_ID_LENGTH = 16, IV_LENGTH = 12, TAG_LENGTH = 16, LARGEST_DATAGRAM = 1500, STREAM_BUCKETS = 64 };

/// Body bytes that were given to uls_h3_send, until they are acknowledged.
typedef struct uls_piece {
  struct uls_piece *next;
  size_t length;
  uint8_t bytes[];
} uls_piece;

/// The stream of one request.
typedef struct uls_stream {
  struct uls_stream *next;
  int64_t id;
  uls_piece *first, *last;
  /// The next piece to give to nghttp3; NULL if it has been given all.
  uls_piece *unread;
  /// The number of bytes of `first` that the peer has acknowledged.
  size_t acknowledged;
  size_t unsent, unacknowledged;
  /// On a server: the number of stream bytes that packets have carried, including frame headers and field sections; and how many of them have been
  /// acknowledged.
  uint64_t carried, confirmed;
  int is_finished, has_trailers, is_cancelled;
  /// Whether a field section is being read, whether it began with the data that is being read, and its bytes so far.
  int is_in_section, section_is_new;
  size_t section_length;
  /// Whether nghttp3 has been given the stream's end without data, and no packet has carried it yet; and the number of bytes acknowledged meanwhile,
  /// which nghttp3 isn't told yet (see uls_end_was_written).
  int end_waits;
  uint64_t withheld;
  /// Whether the peer's end of the stream has been read, and whether nghttp3 has come to it: its fields may wait for the QPACK table until then.
  int end_was_read, end_was_told;
  /// Whether QUIC has closed the stream, and nghttp3 isn't told before it has come to the end.
  int close_waits;
} uls_stream;

/// A unidirectional stream of the peer whose type hasn't been received completely. It isn't passed to nghttp3, which treats the end of such a stream
/// as an error, although RFC 9114, 6.2 allows it.
typedef struct uls_opening {
  struct uls_opening *next;
  int64_t id;
  uint8_t bytes[8];
  size_t length;
} uls_opening;

/// The peer's critical streams, whose end is a connection error (RFC 9114, 6.2.1; RFC 9204, 4.2).
enum uls_critical { CRITICAL_CONTROL, CRITICAL_ENCODER, CRITICAL_DECODER, CRITICAL_STREAMS };

#if !ULS_NGHTTP3_TELLS_SETTINGS
/// The beginning of the peer's control stream behind its type, for reading its SETTINGS.
typedef struct uls_settings_reader {
  uint8_t bytes[256];
  size_t length;
  int is_done;
} uls_settings_reader;
#endif

struct uls_h3 {
  ngtcp2_conn *quic;
  nghttp3_conn *http;
  SSL *ssl;
  uls_h3_events events;
  void *self;
  /// Called with the bytes of all streams; NULL if they aren't watched.
  uls_h3_stream_watcher watcher;
  uls_h3_stream_end_watcher end_watcher;
  uls_h3_settings settings;
  uint8_t secret[32];
  int is_server, sends_early, handshake_has_ended, http_has_been_set_up;
  /// Whether the last datagram that was read came from the peer: a packet in it could be decrypted.
  int was_heard;
  enum uls_h3_state state;
  uls_h3_failure_facts failure;
  /// The text of `failure`, if it isn't a library's constant string.
  char explanation[160];
  n_close_error close;
  int close_is_written;
  /// A packet that belongs to the next batch.
  uint8_t left[LARGEST_DATAGRAM];
  size_t left_length;
  int left_ecn;
  uls_h3_path left_path;
  /// The number of bytes that may still be sent in this burst (ngtcp2's send quantum); 0 between bursts.
  size_t quantum;
  int is_bursting;
  /// Whether bursts are paced. With ngtcp2 0.12 not before the handshake is confirmed, because it paces by a round trip of 333 ms until it has measured one
  /// (1.x: 1 ms), and the congestion window limits the bursts that long (RFC 9002, 7.7).
  int paces;
  int goes_away;
  /// On a server: whether nghttp3 may have data that no packet has carried yet.
  int has_more;
  /// Whether the data that is being read has contained body bytes, with nothing behind them yet; and the number of its body bytes.
  int has_delivered;
  size_t delivered;
  int allows_extended_connect;
#if !ULS_NGHTTP3_TELLS_SETTINGS
  uls_settings_reader reader;
#endif
  uls_opening *openings;
  /// The ids of the peer's critical streams, by uls_critical; -1 for one that hasn't been opened.
  int64_t critical[CRITICAL_STREAMS];
  uls_stream *streams[STREAM_BUCKETS];
  /// The number of streams with `close_waits`.
  size_t waiting_closes;
};

// Functions of keys.c: packet protection.
ngtcp2_crypto_ctx uls_initial_ctx(void);
ngtcp2_crypto_aead uls_retry_aead(void);
int uls_ctx_of_cipher(const SSL_CIPHER *cipher, ngtcp2_crypto_ctx *ctx);
int uls_install_initial_keys(uls_h3 *connection, const ngtcp2_cid *id);
int uls_install_key(
    uls_h3 *connection, int is_read, enum ssl_encryption_level_t level, const SSL_CIPHER *cipher, const uint8_t *secret, size_t length);
int uls_set_retry_aead(uls_h3 *connection);
int uls_on_encrypt(
    uint8_t *out, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *ctx, const uint8_t *in, size_t length, const uint8_t *nonce,
    size_t nonce_length, const uint8_t *ad, size_t ad_length);
/// Set to 1 when a packet on this thread was decrypted, and so came from the peer. Thread-local, as ngtcp2 doesn't pass the connection to the
/// callback.
extern _Thread_local int uls_has_decrypted;
int uls_on_decrypt(
    uint8_t *out, const ngtcp2_crypto_aead *aead, const ngtcp2_crypto_aead_ctx *ctx, const uint8_t *in, size_t length, const uint8_t *nonce,
    size_t nonce_length, const uint8_t *ad, size_t ad_length);
int uls_on_hp_mask(uint8_t *out, const ngtcp2_crypto_cipher *hp, const ngtcp2_crypto_cipher_ctx *ctx, const uint8_t *sample);
int uls_on_update_key(
    ngtcp2_conn *quic, uint8_t *rx_secret, uint8_t *tx_secret, ngtcp2_crypto_aead_ctx *rx_ctx, uint8_t *rx_iv, ngtcp2_crypto_aead_ctx *tx_ctx,
    uint8_t *tx_iv, const uint8_t *rx, const uint8_t *tx, size_t length, void *self);
void uls_on_delete_aead(ngtcp2_conn *quic, ngtcp2_crypto_aead_ctx *ctx, void *self);
void uls_on_delete_cipher(ngtcp2_conn *quic, ngtcp2_crypto_cipher_ctx *ctx, void *self);
EVP_AEAD_CTX *uls_aead_for_retry(void);

// Functions of handshake.c: TLS in QUIC.
int uls_prepare_tls(uls_h3 *connection, SSL *ssl);
int uls_advance_tls(uls_h3 *connection, enum ssl_encryption_level_t level, const uint8_t *data, size_t length);

// Functions of incoming.c: the peer's unidirectional streams.
/// Reads data of a unidirectional stream of the peer. Returns 0, or an error for ngtcp2's callback.
int uls_read_unidirectional(uls_h3 *connection, int64_t id, uint64_t offset, const uint8_t *data, size_t length, int ends);
int uls_is_critical(const uls_h3 *connection, int64_t id);
/// The stream has ended: forgets the part of its type that was received.
void uls_forget_opening(uls_h3 *connection, int64_t id);

// Functions of requests.c: HTTP/3's streams.
int uls_set_up_http(uls_h3 *connection);
/// Creates nghttp3's connection only: it can read streams before the connection may open its own.
int uls_make_http(uls_h3 *connection);
/// Reads data of any stream. Returns 0, or an error for ngtcp2's callback.
int uls_read_stream(uls_h3 *connection, int64_t id, uint64_t offset, const uint8_t *data, size_t length, int ends);
int uls_reset_http(uls_h3 *connection);
/// Tells nghttp3 of the streams that QUIC has closed, and that have been cancelled since or whose end nghttp3 has come to now that the QPACK table is
/// complete. Returns 0, or an error for ngtcp2's callback. Not to be called by an event.
int uls_close_waiting(uls_h3 *connection);
void uls_fill_stream_callbacks(ngtcp2_callbacks *callbacks);
uls_stream *uls_find_stream(uls_h3 *connection, int64_t id);
void uls_free_streams(uls_h3 *connection);
/// A packet has the end of what is sent on a stream. Until then nghttp3 isn't told what of the bytes before it was acknowledged: its mark
/// of an end is an entry of no bytes, which the acknowledgement of all bytes would take along, and the end would never be sent.
int uls_end_was_written(uls_h3 *connection, int64_t id);
void uls_note_carried(uls_h3 *connection, int64_t id, uint64_t count);

// Functions of connection.c: creating a connection, and its errors.
uls_h3 *uls_make(const uls_h3_settings *settings, const uls_h3_events *events, void *self);
void uls_fill_callbacks(ngtcp2_callbacks *callbacks, int is_server);
void uls_fill_settings(const uls_h3 *connection, ngtcp2_settings *settings, ngtcp2_transport_params *params, uint64_t now);
void uls_fail(uls_h3 *connection, int error);
void uls_fail_http(uls_h3 *connection, int error);
/// As `uls_fail_http`, with a text that names the place: `length` bytes of a stream from `offset` on, which may be its last (`ends`).
void uls_fail_reading(uls_h3 *connection, int error, int64_t id, uint64_t offset, size_t length, int ends);
/// Fails the connection with H3_EXCESSIVE_LOAD.
void uls_fail_for_load(uls_h3 *connection);
ngtcp2_path uls_path(const uls_h3_path *path);
int uls_new_id(uint8_t *id, size_t length, uint8_t *token, const uint8_t *secret);

#endif
