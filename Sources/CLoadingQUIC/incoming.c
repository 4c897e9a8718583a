#ifdef LOADING_HTTP3

#include <stdlib.h>
#include <string.h>

#include "internal.h"

// The peer's unidirectional streams: determines their types, and reads the peer's SETTINGS where nghttp3 doesn't report them.

enum { STREAM_TYPE_CONTROL = 0x00, STREAM_TYPE_ENCODER = 0x02, STREAM_TYPE_DECODER = 0x03 };

/// Reads a variable-length integer (RFC 9000, 16). Returns 0 if some of its bytes are missing.
static int read_number(const uint8_t *bytes, size_t length, size_t *position, uint64_t *value) {
  if (*position >= length) return 0;
  size_t count = (size_t)1 << (bytes[*position] >> 6);
  if (length - *position < count) return 0;
  uint64_t found = bytes[*position] & 0x3f;
  for (size_t index = 1; index < count; index++) found = found << 8 | bytes[*position + index];
  *position += count;
  *value = found;
  return 1;
}

#if !ULS_NGHTTP3_TELLS_SETTINGS

// MARK: the peer's SETTINGS

enum { FRAME_SETTINGS = 0x04, SETTING_EXTENDED_CONNECT = 0x08 };

static void read_settings(uls_h3 *connection) {
  uls_settings_reader *reader = &connection->reader;
  size_t position = 0;
  uint64_t frame, length;
  if (!read_number(reader->bytes, reader->length, &position, &frame) || !read_number(reader->bytes, reader->length, &position, &length)) {
    return;
  }
  size_t end = position + (length < sizeof(reader->bytes) ? (size_t)length : sizeof(reader->bytes));
  if (reader->length < end && reader->length < sizeof(reader->bytes)) return;
  reader->is_done = 1;
  if (frame != FRAME_SETTINGS) return;
  if (end > reader->length) end = reader->length;
  uint64_t name, value;
  while (position < end && read_number(reader->bytes, end, &position, &name) && read_number(reader->bytes, end, &position, &value)) {
    if (name == SETTING_EXTENDED_CONNECT) connection->allows_extended_connect = value == 1;
  }
}

static void look_at_settings(uls_h3 *connection, const uint8_t *data, size_t length) {
  uls_settings_reader *reader = &connection->reader;
  if (reader->is_done || length == 0) return;
  size_t room = sizeof(reader->bytes) - reader->length;
  size_t count = length < room ? length : room;
  memcpy(reader->bytes + reader->length, data, count);
  reader->length += count;
  read_settings(connection);
}

#endif

// MARK: stream types

int uls_is_critical(const uls_h3 *connection, int64_t id) {
  for (int index = 0; index < CRITICAL_STREAMS; index++) {
    if (connection->critical[index] == id) return 1;
  }
  return 0;
}

/// Remembers the first stream of each critical type; nghttp3 refuses a second one.
static void note_type(uls_h3 *connection, int64_t id, uint64_t type) {
  int index = type == STREAM_TYPE_CONTROL ? CRITICAL_CONTROL : type == STREAM_TYPE_ENCODER ? CRITICAL_ENCODER : CRITICAL_DECODER;
  int is_critical = type == STREAM_TYPE_CONTROL || type == STREAM_TYPE_ENCODER || type == STREAM_TYPE_DECODER;
  if (is_critical && connection->critical[index] < 0) connection->critical[index] = id;
}

static uls_opening *find_opening(uls_h3 *connection, int64_t id) {
  uls_opening *opening = connection->openings;
  while (opening != NULL && opening->id != id) opening = opening->next;
  return opening;
}

static uls_opening *add_opening(uls_h3 *connection, int64_t id) {
  uls_opening *opening = calloc(1, sizeof(*opening));
  if (opening == NULL) return NULL;
  opening->id = id;
  opening->next = connection->openings;
  connection->openings = opening;
  return opening;
}

void uls_forget_opening(uls_h3 *connection, int64_t id) {
  for (uls_opening **place = &connection->openings; *place != NULL; place = &(*place)->next) {
    if ((*place)->id != id) continue;
    uls_opening *opening = *place;
    *place = opening->next;
    free(opening);
    return;
  }
}

// MARK: reading streams

static int fail(uls_h3 *connection, int error) {
  uls_fail_http(connection, error);
  return NGTCP2_ERR_CALLBACK_FAILURE;
}

/// Passes data of a stream whose type is known to nghttp3.
static int pass(uls_h3 *connection, int64_t id, const uint8_t *data, size_t length, int ends) {
  nghttp3_ssize taken = nghttp3_conn_read_stream(connection->http, id, data, length, ends);
  if (taken < 0) return fail(connection, (int)taken);
  return 0;
}

/// As `pass`, for the data behind the stream's type.
static int pass_content(uls_h3 *connection, int64_t id, const uint8_t *data, size_t length, int ends) {
  // nghttp3 0.8 doesn't notice that a critical stream ends in the same frame that contains its type.
  if (ends && uls_is_critical(connection, id)) return fail(connection, NGHTTP3_ERR_H3_CLOSED_CRITICAL_STREAM);
  int result = length > 0 || ends ? pass(connection, id, data, length, ends) : 0;
#if !ULS_NGHTTP3_TELLS_SETTINGS
  // After nghttp3 has read the SETTINGS and found them valid.
  if (result == 0 && id == connection->critical[CRITICAL_CONTROL]) look_at_settings(connection, data, length);
#endif
  return result;
}

/// Reads the beginning of a stream: its type, which is passed to nghttp3 once it is complete, and the data behind it.
static int open_stream(uls_h3 *connection, int64_t id, uls_opening *opening, const uint8_t *data, size_t length, int ends) {
  if (opening == NULL) opening = add_opening(connection, id);
  if (opening == NULL) return fail(connection, NGHTTP3_ERR_NOMEM);
  size_t position = 0;
  uint64_t type;
  for (size_t used = 0;; used++) {
    if (opening->length > 0 && read_number(opening->bytes, opening->length, &position, &type)) {
      uint8_t bytes[sizeof(opening->bytes)];
      memcpy(bytes, opening->bytes, position);
      uls_forget_opening(connection, id);
      int result = pass(connection, id, bytes, position, 0);
      if (result != 0) return result;
      note_type(connection, id, type);
      return pass_content(connection, id, data + used, length - used, ends);
    }
    if (used == length) break;
    opening->bytes[opening->length++] = data[used];
  }
  if (ends) uls_forget_opening(connection, id);
  return 0;
}

int uls_read_unidirectional(uls_h3 *connection, int64_t id, uint64_t offset, const uint8_t *data, size_t length, int ends) {
  uls_opening *opening = find_opening(connection, id);
  int result = opening != NULL || offset == 0 ? open_stream(connection, id, opening, data, length, ends)
                                              : pass_content(connection, id, data, length, ends);
  if (result != 0) return result;
  // The data has been consumed: the flow-control windows are widened by its length.
  ngtcp2_conn_extend_max_stream_offset(connection->quic, id, length);
  ngtcp2_conn_extend_max_offset(connection->quic, length);
  return 0;
}

#endif
