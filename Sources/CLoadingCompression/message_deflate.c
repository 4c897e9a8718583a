#include "message_deflate.h"

#include <stdlib.h>

#include "requirements.h"

struct uls_inflater {
  z_stream z;
};

struct uls_deflater {
  z_stream z;
};

uls_inflater *uls_inflater_create(int window_bits) {
  uls_inflater *inflater = calloc(1, sizeof *inflater);
  if (!inflater) return NULL;
  if (inflateInit2(&inflater->z, -window_bits) != Z_OK) {
    free(inflater);
    return NULL;
  }
  return inflater;
}

void uls_inflater_destroy(uls_inflater *inflater) {
  inflateEnd(&inflater->z);
  free(inflater);
}

int uls_inflater_step(uls_inflater *inflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length) {
  inflater->z.next_in = (Bytef *)in;
  inflater->z.avail_in = (uInt)*in_length;
  inflater->z.next_out = out;
  inflater->z.avail_out = (uInt)*out_length;
  int status = 0;
  while (inflater->z.avail_in > 0 || inflater->z.avail_out > 0) {
    int result = inflate(&inflater->z, Z_SYNC_FLUSH);
    if (result == Z_STREAM_END) {
      // RFC 7692, 7.2.3.4 allows a block with the BFINAL bit in the middle of a message. The window is kept, because later blocks may refer to it;
      // it isn't copied, because each two bytes of a message may be such a block.
      if (inflateResetKeep(&inflater->z) != Z_OK) status = -1;
      if (status != 0 || inflater->z.avail_in == 0) break;
      continue;
    }
    // Z_BUF_ERROR isn't an error here: there is no input left, or no room in the output.
    if (result != Z_OK && result != Z_BUF_ERROR) status = -1;
    break;
  }
  *in_length -= inflater->z.avail_in;
  *out_length -= inflater->z.avail_out;
  return status;
}

int uls_inflater_reset(uls_inflater *inflater) { return inflateReset(&inflater->z) == Z_OK ? 0 : -1; }

uls_deflater *uls_deflater_create(int window_bits) {
  uls_deflater *deflater = calloc(1, sizeof *deflater);
  if (!deflater) return NULL;
  // zlib's memory for hashing is reduced with the window: each WebSocket connection keeps a compressor for its whole life.
  int memory_level = window_bits > 13 ? 8 : window_bits - 5;
  if (deflateInit2(&deflater->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -window_bits, memory_level, Z_DEFAULT_STRATEGY) != Z_OK) {
    free(deflater);
    return NULL;
  }
  return deflater;
}

void uls_deflater_destroy(uls_deflater *deflater) {
  deflateEnd(&deflater->z);
  free(deflater);
}

int uls_deflater_step(uls_deflater *deflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length, int flush) {
  deflater->z.next_in = (Bytef *)in;
  deflater->z.avail_in = (uInt)*in_length;
  deflater->z.next_out = out;
  deflater->z.avail_out = (uInt)*out_length;
  int result = deflate(&deflater->z, flush ? Z_SYNC_FLUSH : Z_NO_FLUSH);
  *in_length -= deflater->z.avail_in;
  *out_length -= deflater->z.avail_out;
  return result == Z_OK || result == Z_BUF_ERROR ? 0 : -1;
}

int uls_deflater_reset(uls_deflater *deflater) { return deflateReset(&deflater->z) == Z_OK ? 0 : -1; }
