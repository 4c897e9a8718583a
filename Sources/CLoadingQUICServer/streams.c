#ifdef LOADING_HTTP3

#include <string.h>

#include "../CLoadingQUIC/internal.h"
#include "CLoadingQUICServer.h"

// Lets tests feed a client's connection with stream data, as if a server had sent it, without packets and without a handshake.

static nghttp3_nv field(const char *name, const char *value) {
  nghttp3_nv made = {(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP3_NV_FLAG_NONE};
  return made;
}

int uls_h3_pretend_requests(uls_h3 *connection, size_t count) {
  if (uls_make_http(connection) != 0 || nghttp3_conn_bind_control_stream(connection->http, 2) != 0 ||
      nghttp3_conn_bind_qpack_streams(connection->http, 6, 10) != 0) {
    return 0;
  }
  nghttp3_nv fields[] = {field(":method", "GET"), field(":scheme", "https"), field(":authority", "a.test"), field(":path", "/")};
  for (size_t number = 0; number < count; number++) {
    if (nghttp3_conn_submit_request(connection->http, (int64_t)number * 4, fields, 4, NULL, NULL) != 0) return 0;
  }
  return 1;
}

int uls_h3_pretend_data(uls_h3 *connection, int64_t stream, uint64_t offset, uls_h3_bytes bytes, int ends) {
  return uls_read_stream(connection, stream, offset, bytes.data, bytes.length, ends) == 0;
}

#endif
