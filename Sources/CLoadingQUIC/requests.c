#ifdef LOADING_HTTP3

#include <stdlib.h>
#include <string.h>

#include "internal.h"

// Streams of requests: passes received data to nghttp3, turns its callbacks into events, and keeps sent body bytes until they are acknowledged.

enum { PIECE = 64 << 10, MAXIMUM_FIELDS = 4096 };

// MARK: the table of streams

static uls_stream **bucket(uls_h3 *connection, int64_t id) { return &connection->streams[(size_t)(id >> 2) % STREAM_BUCKETS]; }

uls_stream *uls_find_stream(uls_h3 *connection, int64_t id) {
  for (uls_stream *stream = *bucket(connection, id); stream != NULL; stream = stream->next) {
    if (stream->id == id) return stream;
  }
  return NULL;
}

static uls_stream *add_stream(uls_h3 *connection, int64_t id) {
  uls_stream *stream = calloc(1, sizeof(*stream));
  if (stream == NULL) return NULL;
  stream->id = id;
  stream->next = *bucket(connection, id);
  *bucket(connection, id) = stream;
  return stream;
}

static void free_stream(uls_stream *stream) {
  while (stream->first != NULL) {
    uls_piece *piece = stream->first;
    stream->first = piece->next;
    free(piece);
  }
  free(stream);
}

static void remove_stream(uls_h3 *connection, int64_t id) {
  for (uls_stream **place = bucket(connection, id); *place != NULL; place = &(*place)->next) {
    if ((*place)->id != id) continue;
    uls_stream *stream = *place;
    *place = stream->next;
    if (stream->close_waits) connection->waiting_closes--;
    free_stream(stream);
    return;
  }
}

void uls_free_streams(uls_h3 *connection) {
  connection->waiting_closes = 0;
  for (size_t index = 0; index < STREAM_BUCKETS; index++) {
    while (connection->streams[index] != NULL) {
      uls_stream *stream = connection->streams[index];
      connection->streams[index] = stream->next;
      free_stream(stream);
    }
  }
}

// MARK: nghttp3's callbacks

static int on_acknowledged(nghttp3_conn *http, int64_t id, uint64_t count, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL) return 0;
  uint64_t left = count;
  while (left > 0 && stream->first != NULL && stream->first != stream->unread) {
    uls_piece *piece = stream->first;
    uint64_t open = piece->length - stream->acknowledged;
    if (left < open) {
      stream->acknowledged += (size_t)left;
      break;
    }
    left -= open;
    stream->acknowledged = 0;
    stream->first = piece->next;
    if (stream->first == NULL) stream->last = NULL;
    free(piece);
  }
  stream->unacknowledged -= count < stream->unacknowledged ? (size_t)count : stream->unacknowledged;
  return 0;
}

static int on_http_close(nghttp3_conn *http, int64_t id, uint64_t code, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  // The stream is removed before the event, from within which the caller could otherwise use a stream that nghttp3 is about to free.
  remove_stream(connection, id);
  connection->events.stream_closed(connection->self, id, code);
  return 0;
}

static int on_data(nghttp3_conn *http, int64_t id, const uint8_t *data, size_t length, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  uls_stream *stream = uls_find_stream(connection, id);
  connection->has_delivered = 1;
  connection->delivered += length;
  if (stream == NULL || stream->is_cancelled) {
    ngtcp2_conn_extend_max_stream_offset(connection->quic, id, length);
    ngtcp2_conn_extend_max_offset(connection->quic, length);
  } else {
    connection->events.data(connection->self, id, (uls_h3_bytes){data, length});
  }
  return 0;
}

static int on_deferred(nghttp3_conn *http, int64_t id, size_t count, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  ngtcp2_conn_extend_max_stream_offset(connection->quic, id, count);
  ngtcp2_conn_extend_max_offset(connection->quic, count);
  return 0;
}

static int on_begin_section(nghttp3_conn *http, int64_t id, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL) stream = add_stream(connection, id);
  if (stream == NULL) return NGHTTP3_ERR_CALLBACK_FAILURE;
  stream->is_in_section = stream->section_is_new = 1;
  stream->section_length = 0;
  return 0;
}

static void leave_section(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream != NULL) stream->is_in_section = 0;
}

static int on_field(
    nghttp3_conn *http, int64_t id, int32_t token, nghttp3_rcbuf *name, nghttp3_rcbuf *value, uint8_t flags, void *self, void *user) {
  (void)http, (void)token, (void)flags, (void)user;
  uls_h3 *connection = self;
  nghttp3_vec name_bytes = nghttp3_rcbuf_get_buf(name), value_bytes = nghttp3_rcbuf_get_buf(value);
  connection->events.field(
      connection->self, id, (uls_h3_bytes){name_bytes.base, name_bytes.len}, (uls_h3_bytes){value_bytes.base, value_bytes.len});
  return 0;
}

static int on_section_ended(nghttp3_conn *http, int64_t id, int ends, void *self, void *user) {
  (void)http, (void)ends, (void)user;
  uls_h3 *connection = self;
  leave_section(connection, id);
  connection->events.section_ended(connection->self, id, ULS_H3_INFORMATIONAL_OR_HEAD);
  return 0;
}

static int on_trailers_ended(nghttp3_conn *http, int64_t id, int ends, void *self, void *user) {
  (void)http, (void)ends, (void)user;
  uls_h3 *connection = self;
  // An error behind the trailers isn't that the body ends too early.
  connection->has_delivered = 0;
  leave_section(connection, id);
  connection->events.section_ended(connection->self, id, ULS_H3_TRAILERS);
  return 0;
}

static int on_end(nghttp3_conn *http, int64_t id, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream != NULL) stream->end_was_told = 1;
  connection->events.stream_ended(connection->self, id, 1);
  return 0;
}

static int on_wants_stop(nghttp3_conn *http, int64_t id, uint64_t code, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  n_shutdown_stream_read(connection->quic, id, code);
  return 0;
}

static int on_wants_reset(nghttp3_conn *http, int64_t id, uint64_t code, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  n_shutdown_stream_write(connection->quic, id, code);
  // The message is malformed (RFC 9114, 4.1.2): its stream ends.
  connection->events.stream_reset(connection->self, id, code);
  return 0;
}

static int on_going_away(nghttp3_conn *http, int64_t id, void *self) {
  (void)http;
  uls_h3 *connection = self;
  connection->events.going_away(connection->self, id);
  return 0;
}

static nghttp3_ssize on_wants_body(
    nghttp3_conn *http, int64_t id, nghttp3_vec *pieces, size_t room, uint32_t *flags, void *self, void *user) {
  (void)http, (void)user;
  uls_h3 *connection = self;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL) return NGHTTP3_ERR_CALLBACK_FAILURE;
  size_t count = 0;
  // One piece at a time, which becomes a DATA frame, so that `unsent` isn't much smaller than the number of bytes that are really unsent.
  if (stream->unread != NULL && room > 0) {
    pieces[0].base = stream->unread->bytes;
    pieces[0].len = stream->unread->length;
    count = 1;
    stream->unsent -= stream->unread->length;
    stream->unread = stream->unread->next;
  }
  if (stream->unread == NULL && stream->is_finished) {
    *flags |= NGHTTP3_DATA_FLAG_EOF | (stream->has_trailers ? NGHTTP3_DATA_FLAG_NO_END_STREAM : 0);
    stream->end_waits = count == 0 && !stream->has_trailers;
    return (nghttp3_ssize)count;
  }
  return count == 0 ? NGHTTP3_ERR_WOULDBLOCK : (nghttp3_ssize)count;
}

#if ULS_NGHTTP3_TELLS_SETTINGS
static int on_settings(nghttp3_conn *http, const nghttp3_settings *settings, void *self) {
  (void)http;
  ((uls_h3 *)self)->allows_extended_connect = settings->enable_connect_protocol != 0;
  return 0;
}
#endif

static void fill_http_callbacks(nghttp3_callbacks *callbacks) {
  memset(callbacks, 0, sizeof(*callbacks));
  callbacks->acked_stream_data = on_acknowledged;
  callbacks->stream_close = on_http_close;
  callbacks->recv_data = on_data;
  callbacks->deferred_consume = on_deferred;
  callbacks->begin_headers = on_begin_section;
  callbacks->recv_header = on_field;
  callbacks->end_headers = on_section_ended;
  callbacks->begin_trailers = on_begin_section;
  callbacks->recv_trailer = on_field;
  callbacks->end_trailers = on_trailers_ended;
  callbacks->stop_sending = on_wants_stop;
  callbacks->end_stream = on_end;
  callbacks->reset_stream = on_wants_reset;
  callbacks->shutdown = on_going_away;
#if ULS_NGHTTP3_TELLS_SETTINGS
  callbacks->recv_settings = on_settings;
#endif
}

int uls_make_http(uls_h3 *connection) {
  if (connection->http != NULL) return 0;
  nghttp3_settings settings;
  nghttp3_callbacks callbacks;
  nghttp3_settings_default(&settings);
  settings.max_field_section_size = connection->settings.maximum_section;
  settings.qpack_max_dtable_capacity = connection->settings.table_capacity;
  settings.qpack_encoder_max_dtable_capacity = connection->settings.table_capacity;
  settings.qpack_blocked_streams = connection->settings.blocked_streams;
  fill_http_callbacks(&callbacks);
  int result;
  if (connection->is_server) {
    settings.enable_connect_protocol = (connection->settings.allows_extended_connect != 0);
    result = nghttp3_conn_server_new(&connection->http, &callbacks, &settings, NULL, connection);
    if (result == 0) nghttp3_conn_set_max_client_streams_bidi(connection->http, connection->settings.maximum_requests);
  } else {
    result = nghttp3_conn_client_new(&connection->http, &callbacks, &settings, NULL, connection);
  }
  return result == 0 ? 0 : -1;
}

int uls_set_up_http(uls_h3 *connection) {
  int64_t control, encoder, decoder;
  if (connection->http_has_been_set_up) return 0;
  if (ngtcp2_conn_get_streams_uni_left(connection->quic) < 3 || uls_make_http(connection) != 0) return -1;
  if (ngtcp2_conn_open_uni_stream(connection->quic, &control, NULL) != 0 ||
      nghttp3_conn_bind_control_stream(connection->http, control) != 0 ||
      ngtcp2_conn_open_uni_stream(connection->quic, &encoder, NULL) != 0 ||
      ngtcp2_conn_open_uni_stream(connection->quic, &decoder, NULL) != 0 ||
      nghttp3_conn_bind_qpack_streams(connection->http, encoder, decoder) != 0) {
    return -1;
  }
  connection->http_has_been_set_up = 1;
  return 0;
}

int uls_reset_http(uls_h3 *connection) {
  if (connection->http != NULL) nghttp3_conn_del(connection->http);
  connection->http = NULL;
  connection->http_has_been_set_up = 0;
  uls_free_streams(connection);
  // The HTTP/3 streams are opened again when the handshake is complete, within the limits that the server announces then.
  return 0;
}

// MARK: ngtcp2's callbacks

/// A message is malformed: ends its stream (RFC 9114, 4.1.2), and not the connection, as nghttp3 would.
///
/// - Parameter may_end_early: Whether the error may be that the body ends before its Content-Length.
static int spoil(uls_h3 *connection, int64_t id, int may_end_early) {
  if (may_end_early) {
    connection->events.stream_ended(connection->self, id, 0);
  } else {
    connection->events.stream_reset(connection->self, id, NGHTTP3_H3_MESSAGE_ERROR);
  }
  nghttp3_conn_shutdown_stream_read(connection->http, id);
  nghttp3_conn_shutdown_stream_write(connection->http, id);
  n_shutdown_stream(connection->quic, id, NGHTTP3_H3_MESSAGE_ERROR);
  return 0;
}

/// The field section is too long: cancels its stream only (RFC 9114, 4.2.2).
static int refuse_section(uls_h3 *connection, int64_t id) {
  uls_h3_cancel(connection, id, NGHTTP3_H3_EXCESSIVE_LOAD);
  connection->events.section_refused(connection->self, id);
  return 0;
}

/// Counts the bytes of a field section, as nghttp3 reports no event for fields that it skips, or that wait for the QPACK table.
static int count_section(uls_h3 *connection, int64_t id, size_t length) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || !stream->is_in_section || stream->is_cancelled) return 0;
  if (stream->section_is_new) {
    stream->section_is_new = 0;
    return 0;
  }
  stream->section_length += length;
  return stream->section_length > connection->settings.maximum_section ? refuse_section(connection, id) : 0;
}

static int read_bidirectional(uls_h3 *connection, int64_t id, uint64_t offset, const uint8_t *data, size_t length, int ends) {
  connection->has_delivered = 0;
  connection->delivered = 0;
  uls_stream *stream = ends ? uls_find_stream(connection, id) : NULL;
  if (stream != NULL) stream->end_was_read = 1;
  nghttp3_ssize taken = nghttp3_conn_read_stream(connection->http, id, data, length, ends);
  if (taken == NGHTTP3_ERR_MALFORMED_HTTP_MESSAGING) {
    // The receiver of the body bytes returns them to the windows itself; only the other bytes are returned here.
    ngtcp2_conn_extend_max_offset(connection->quic, length - (connection->delivered < length ? connection->delivered : length));
    return spoil(connection, id, ends && (connection->has_delivered || length == 0));
  }
  if (taken == NGHTTP3_ERR_QPACK_HEADER_TOO_LARGE) {
    // nghttp3's QPACK decoder can't continue after this error, on any stream: the connection ends.
    connection->events.section_refused(connection->self, id);
    uls_fail_for_load(connection);
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  if (taken < 0) {
    uls_fail_reading(connection, (int)taken, id, offset, length, ends);
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  ngtcp2_conn_extend_max_stream_offset(connection->quic, id, (uint64_t)taken);
  ngtcp2_conn_extend_max_offset(connection->quic, (uint64_t)taken);
  return count_section(connection, id, length);
}

/// Tells nghttp3 that QUIC has closed a stream.
static int close_stream(uls_h3 *connection, int64_t id, uint64_t code) {
  int result = nghttp3_conn_close_stream(connection->http, id, code);
  if (result == 0) return 0;
  if (result == NGHTTP3_ERR_STREAM_NOT_FOUND) {
    // nghttp3 doesn't know the stream, as none of its data has been passed to it.
    if (uls_find_stream(connection, id) != NULL) return on_http_close(connection->http, id, code, connection, NULL);
    return 0;
  }
  uls_fail_http(connection, result);
  return NGTCP2_ERR_CALLBACK_FAILURE;
}

int uls_close_waiting(uls_h3 *connection) {
  for (size_t index = 0; index < STREAM_BUCKETS && connection->waiting_closes > 0; index++) {
    uls_stream *next;
    for (uls_stream *stream = connection->streams[index]; stream != NULL; stream = next) {
      next = stream->next;
      if (!stream->close_waits || (!stream->end_was_told && !stream->is_cancelled)) continue;
      stream->close_waits = 0;
      connection->waiting_closes--;
      // on_http_close removes the stream: at once, or, with nghttp3 0.8 and fields that still wait, once these have come.
      int result = close_stream(connection, stream->id, NGHTTP3_H3_NO_ERROR);
      if (result != 0) return result;
    }
  }
  return 0;
}

int uls_read_stream(uls_h3 *connection, int64_t id, uint64_t offset, const uint8_t *data, size_t length, int ends) {
  // If the handshake was paused to ask the app, the server's first streams arrive before ngtcp2 reports the handshake as completed.
  if (uls_make_http(connection) != 0) return NGTCP2_ERR_CALLBACK_FAILURE;
  if (connection->watcher != NULL) connection->watcher(connection->self, id, 0, (uls_h3_bytes){data, length});
  if (!ngtcp2_is_bidi_stream(id)) {
    int result = uls_read_unidirectional(connection, id, offset, data, length, ends);
    return result != 0 ? result : uls_close_waiting(connection);
  }
  return read_bidirectional(connection, id, offset, data, length, ends);
}

static int on_stream_data(
    ngtcp2_conn *quic, uint32_t flags, int64_t id, uint64_t offset, const uint8_t *data, size_t length, void *self, void *user) {
  (void)quic, (void)user;
  return uls_read_stream(self, id, offset, data, length, (flags & NGTCP2_STREAM_DATA_FLAG_FIN) != 0);
}

static int acknowledge(uls_h3 *connection, int64_t id, uint64_t count) {
  int result = nghttp3_conn_add_ack_offset(connection->http, id, count);
  if (result == 0 || result == NGHTTP3_ERR_STREAM_NOT_FOUND) return 0;
  uls_fail_http(connection, result);
  return NGTCP2_ERR_CALLBACK_FAILURE;
}

static int on_stream_acknowledged(ngtcp2_conn *quic, int64_t id, uint64_t offset, uint64_t count, void *self, void *user) {
  (void)quic, (void)offset, (void)user;
  uls_h3 *connection = self;
  if (connection->http == NULL) return 0;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream != NULL) stream->confirmed += count;
  if (stream != NULL && stream->end_waits) {
    stream->withheld += count;
    return 0;
  }
  return acknowledge(connection, id, count);
}

void uls_note_carried(uls_h3 *connection, int64_t id, uint64_t count) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream != NULL) stream->carried += count;
}

int uls_end_was_written(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || !stream->end_waits) return 0;
  stream->end_waits = 0;
  uint64_t count = stream->withheld;
  stream->withheld = 0;
  return count == 0 ? 0 : acknowledge(connection, id, count);
}

static int on_stream_close(ngtcp2_conn *quic, uint32_t flags, int64_t id, uint64_t code, void *self, void *user) {
  (void)user;
  uls_h3 *connection = self;
  if (connection->is_server && ngtcp2_is_bidi_stream(id)) ngtcp2_conn_extend_max_streams_bidi(quic, 1);
  if (!ngtcp2_is_bidi_stream(id) && !ngtcp2_conn_is_local_stream(quic, id)) ngtcp2_conn_extend_max_streams_uni(quic, 1);
  uls_forget_opening(connection, id);
  if (connection->end_watcher != NULL) connection->end_watcher(connection->self, id);
  if (connection->http == NULL) return 0;
  if (flags & NGTCP2_STREAM_CLOSE_FLAG_APP_ERROR_CODE_SET) return close_stream(connection, id, code);
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream != NULL && stream->end_was_read && !stream->end_was_told && !stream->is_cancelled) {
    // The fields wait for the QPACK table: nghttp3 1.17 would forget a stream that is closed then, and its response with it.
    stream->close_waits = 1;
    connection->waiting_closes++;
    return 0;
  }
  return close_stream(connection, id, NGHTTP3_H3_NO_ERROR);
}

static int on_stream_reset(ngtcp2_conn *quic, int64_t id, uint64_t size, uint64_t code, void *self, void *user) {
  (void)quic, (void)size, (void)user;
  uls_h3 *connection = self;
  uls_forget_opening(connection, id);
  if (connection->http == NULL) return 0;
  // nghttp3 0.8 doesn't notice that a critical stream is reset.
  int result = uls_is_critical(connection, id) ? NGHTTP3_ERR_H3_CLOSED_CRITICAL_STREAM : nghttp3_conn_shutdown_stream_read(connection->http, id);
  if (result != 0 && result != NGHTTP3_ERR_STREAM_NOT_FOUND) {
    uls_fail_http(connection, result);
    return NGTCP2_ERR_CALLBACK_FAILURE;
  }
  if (ngtcp2_is_bidi_stream(id)) connection->events.stream_reset(connection->self, id, code);
  return 0;
}

static int on_stop_sending(ngtcp2_conn *quic, int64_t id, uint64_t code, void *self, void *user) {
  (void)quic, (void)user;
  uls_h3 *connection = self;
  if (ngtcp2_is_bidi_stream(id)) connection->events.stopped(connection->self, id, code);
  return 0;
}

static int on_more_room(ngtcp2_conn *quic, int64_t id, uint64_t maximum, void *self, void *user) {
  (void)quic, (void)maximum, (void)user;
  uls_h3 *connection = self;
  if (connection->http != NULL) nghttp3_conn_unblock_stream(connection->http, id);
  return 0;
}

static int on_more_streams(ngtcp2_conn *quic, uint64_t maximum, void *self) {
  (void)quic, (void)maximum;
  uls_h3 *connection = self;
  connection->events.streams_allowed(connection->self);
  return 0;
}

static int on_more_requests(ngtcp2_conn *quic, uint64_t maximum, void *self) {
  (void)quic;
  uls_h3 *connection = self;
  if (connection->http != NULL) nghttp3_conn_set_max_client_streams_bidi(connection->http, maximum);
  return 0;
}

void uls_fill_stream_callbacks(ngtcp2_callbacks *callbacks) {
  callbacks->recv_stream_data = on_stream_data;
  callbacks->acked_stream_data_offset = on_stream_acknowledged;
  callbacks->stream_close = on_stream_close;
  callbacks->stream_reset = on_stream_reset;
  callbacks->stream_stop_sending = on_stop_sending;
  callbacks->extend_max_stream_data = on_more_room;
  callbacks->extend_max_local_streams_bidi = on_more_streams;
  callbacks->extend_max_remote_streams_bidi = on_more_requests;
}

// MARK: the interface

static size_t copy_fields(nghttp3_nv *out, const uls_h3_field *fields, size_t count) {
  for (size_t index = 0; index < count; index++) {
    out[index].name = (uint8_t *)fields[index].name.data;
    out[index].namelen = fields[index].name.length;
    out[index].value = (uint8_t *)fields[index].value.data;
    out[index].valuelen = fields[index].value.length;
    out[index].flags = fields[index].is_secret ? NGHTTP3_NV_FLAG_NEVER_INDEX : NGHTTP3_NV_FLAG_NONE;
  }
  return count;
}

/// Evaluates `call`, which uses `list`, the fields in nghttp3's form (nghttp3 copies them); `result` stays as it is if there are too many.
#define WITH_FIELDS(result, call)                                                             \
  do {                                                                                        \
    nghttp3_nv few[64];                                                                       \
    nghttp3_nv *list = count <= 64 ? few : count <= MAXIMUM_FIELDS ? malloc(count * sizeof(*list)) : NULL; \
    if (list == NULL) break;                                                                  \
    copy_fields(list, fields, count);                                                         \
    result = (call);                                                                          \
    if (list != few) free(list);                                                              \
  } while (0)

static const nghttp3_data_reader body_reader = {on_wants_body};

uint64_t uls_h3_free_streams(uls_h3 *connection) {
  if (connection->state != ULS_H3_OPEN || !connection->http_has_been_set_up) return 0;
  return ngtcp2_conn_get_streams_bidi_left(connection->quic);
}

int64_t uls_h3_request(uls_h3 *connection, const uls_h3_field *fields, size_t count, int ends) {
  int64_t id = -1;
  // nghttp3 aborts the process if a request is submitted before its own streams are bound.
  if (connection->state != ULS_H3_OPEN || !connection->http_has_been_set_up) return -1;
  if (ngtcp2_conn_open_bidi_stream(connection->quic, &id, NULL) != 0) return -1;
  int result = -1;
  if (add_stream(connection, id) != NULL) {
    WITH_FIELDS(result, nghttp3_conn_submit_request(connection->http, id, list, count, ends ? NULL : &body_reader, NULL));
  }
  if (result == 0) return id;
  n_shutdown_stream(connection->quic, id, NGHTTP3_H3_REQUEST_CANCELLED);
  remove_stream(connection, id);
  return -1;
}

int uls_h3_inform(uls_h3 *connection, int64_t id, const uls_h3_field *fields, size_t count) {
  int result = -1;
  if (uls_find_stream(connection, id) == NULL || !connection->http_has_been_set_up) return 0;
  connection->has_more = 1;
  WITH_FIELDS(result, nghttp3_conn_submit_info(connection->http, id, list, count));
  return result == 0;
}

int uls_h3_respond(uls_h3 *connection, int64_t id, const uls_h3_field *fields, size_t count, int ends) {
  int result = -1;
  if (uls_find_stream(connection, id) == NULL || !connection->http_has_been_set_up) return 0;
  connection->has_more = 1;
  WITH_FIELDS(result, nghttp3_conn_submit_response(connection->http, id, list, count, ends ? NULL : &body_reader));
  return result == 0;
}

int uls_h3_trail(uls_h3 *connection, int64_t id, const uls_h3_field *fields, size_t count) {
  int result = -1;
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || stream->is_finished || !connection->http_has_been_set_up) return 0;
  connection->has_more = 1;
  WITH_FIELDS(result, nghttp3_conn_submit_trailers(connection->http, id, list, count));
  if (result != 0) return 0;
  stream->has_trailers = 1;
  return uls_h3_finish(connection, id);
}

int uls_h3_send(uls_h3 *connection, int64_t id, uls_h3_bytes bytes) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || stream->is_finished || connection->http == NULL) return 0;
  while (bytes.length > 0) {
    size_t length = bytes.length < PIECE ? bytes.length : PIECE;
    uls_piece *piece = malloc(sizeof(*piece) + length);
    if (piece == NULL) return 0;
    piece->next = NULL;
    piece->length = length;
    memcpy(piece->bytes, bytes.data, length);
    if (stream->last != NULL) stream->last->next = piece;
    stream->last = piece;
    if (stream->first == NULL) stream->first = piece;
    if (stream->unread == NULL) stream->unread = piece;
    stream->unsent += length;
    stream->unacknowledged += length;
    bytes.data += length;
    bytes.length -= length;
  }
  nghttp3_conn_resume_stream(connection->http, id);
  return 1;
}

int uls_h3_finish(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || connection->http == NULL) return 0;
  stream->is_finished = 1;
  nghttp3_conn_resume_stream(connection->http, id);
  return 1;
}

size_t uls_h3_unsent(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  return stream == NULL ? 0 : stream->unsent;
}

size_t uls_h3_unacknowledged(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  return stream == NULL ? 0 : stream->unacknowledged;
}

int uls_h3_is_delivered(uls_h3 *connection, int64_t id) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (connection->has_more) return 0;
  return stream == NULL || (stream->unacknowledged == 0 && stream->carried == stream->confirmed);
}

void uls_h3_consume(uls_h3 *connection, int64_t id, size_t count) {
  if (connection->state == ULS_H3_OPEN) ngtcp2_conn_extend_max_stream_offset(connection->quic, id, count);
}

void uls_h3_consume_connection(uls_h3 *connection, size_t count) {
  if (connection->state == ULS_H3_OPEN) ngtcp2_conn_extend_max_offset(connection->quic, count);
}

void uls_h3_stop_reading(uls_h3 *connection, int64_t id, uint64_t code) {
  uls_stream *stream = uls_find_stream(connection, id);
  if (stream == NULL || connection->state != ULS_H3_OPEN) return;
  stream->is_cancelled = 1;
  if (connection->http != NULL) nghttp3_conn_shutdown_stream_read(connection->http, id);
  n_shutdown_stream_read(connection->quic, id, code);
}

void uls_h3_reset_writing(uls_h3 *connection, int64_t id, uint64_t code) {
  if (uls_find_stream(connection, id) == NULL || connection->state != ULS_H3_OPEN) return;
  if (connection->http != NULL) nghttp3_conn_shutdown_stream_write(connection->http, id);
  n_shutdown_stream_write(connection->quic, id, code);
}

void uls_h3_cancel(uls_h3 *connection, int64_t id, uint64_t code) {
  uls_h3_reset_writing(connection, id, code);
  uls_h3_stop_reading(connection, id, code);
}

int uls_h3_prioritise(uls_h3 *connection, int64_t id, int urgency, int is_incremental) {
#if NGHTTP3_VERSION_NUM >= 0x010000
  char text[16] = "u=0, i";
  text[1 + 1] = (char)('0' + (urgency < 0 ? 0 : urgency > 7 ? 7 : urgency));
  size_t length = is_incremental ? 6 : 3;
  if (connection->http == NULL || connection->is_server || uls_find_stream(connection, id) == NULL) return 0;
  return nghttp3_conn_set_client_stream_priority(connection->http, id, (const uint8_t *)text, length) == 0;
#else
  // nghttp3 0.8 can't send PRIORITY_UPDATE.
  (void)connection, (void)id, (void)urgency, (void)is_incremental;
  return 0;
#endif
}

void uls_h3_go_away(uls_h3 *connection) {
  if (connection->http == NULL || connection->goes_away || connection->state != ULS_H3_OPEN) return;
  connection->goes_away = 1;
  nghttp3_conn_submit_shutdown_notice(connection->http);
  nghttp3_conn_shutdown(connection->http);
}

#endif
