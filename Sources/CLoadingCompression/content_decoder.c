#define _GNU_SOURCE
#include "content_decoder.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "requirements.h"

struct uls_decoder {
  uls_coding coding;
  int started;
  int ended;
  z_stream z;
  void *state;
};

// The types of Brotli's and Zstandard's stable ABIs, declared here so that building needs no headers of theirs.
typedef struct { const void *src; size_t size; size_t pos; } zstd_in;
typedef struct { void *dst; size_t size; size_t pos; } zstd_out;

static struct {
  void *(*brotli_create)(void *, void *, void *);
  void (*brotli_destroy)(void *);
  int (*brotli_step)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *);
  void *(*zstd_create)(void);
  size_t (*zstd_destroy)(void *);
  size_t (*zstd_step)(void *, zstd_out *, zstd_in *);
  unsigned (*zstd_is_error)(size_t);
  size_t (*zstd_set_parameter)(void *, int, int);
} lib;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
  void *brotli = dlopen("libbrotlidec.so.1", RTLD_NOW | RTLD_LOCAL);
  if (brotli) {
    lib.brotli_create = (void *(*)(void *, void *, void *))dlsym(brotli, "BrotliDecoderCreateInstance");
    lib.brotli_destroy = (void (*)(void *))dlsym(brotli, "BrotliDecoderDestroyInstance");
    lib.brotli_step = (int (*)(void *, size_t *, const uint8_t **, size_t *, uint8_t **, size_t *))dlsym(
        brotli, "BrotliDecoderDecompressStream");
  }
  void *zstd = dlopen("libzstd.so.1", RTLD_NOW | RTLD_LOCAL);
  if (zstd) {
    lib.zstd_create = (void *(*)(void))dlsym(zstd, "ZSTD_createDCtx");
    lib.zstd_destroy = (size_t(*)(void *))dlsym(zstd, "ZSTD_freeDCtx");
    lib.zstd_step = (size_t(*)(void *, zstd_out *, zstd_in *))dlsym(zstd, "ZSTD_decompressStream");
    lib.zstd_is_error = (unsigned (*)(size_t))dlsym(zstd, "ZSTD_isError");
    lib.zstd_set_parameter = (size_t(*)(void *, int, int))dlsym(zstd, "ZSTD_DCtx_setParameter");
  }
}

int uls_decoder_available(uls_coding coding) {
  pthread_once(&once, look_up);
  switch (coding) {
    case ULS_CODING_GZIP:
    case ULS_CODING_DEFLATE: return 1;
    case ULS_CODING_BROTLI: return lib.brotli_create && lib.brotli_destroy && lib.brotli_step;
    case ULS_CODING_ZSTD: return lib.zstd_create && lib.zstd_destroy && lib.zstd_step && lib.zstd_is_error;
  }
  return 0;
}

uls_decoder *uls_decoder_create(uls_coding coding) {
  if (!uls_decoder_available(coding)) return NULL;
  uls_decoder *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  decoder->coding = coding;
  int ok = 0;
  switch (coding) {
    case ULS_CODING_GZIP: ok = inflateInit2(&decoder->z, 15 + 16) == Z_OK; break;
    case ULS_CODING_DEFLATE: ok = inflateInit2(&decoder->z, 15) == Z_OK; break;
    case ULS_CODING_BROTLI: ok = (decoder->state = lib.brotli_create(NULL, NULL, NULL)) != NULL; break;
    case ULS_CODING_ZSTD:
      ok = (decoder->state = lib.zstd_create()) != NULL;
      // RFC 9659: a decoder may refuse a window over 8 MiB. 100 is ZSTD_d_windowLogMax, and 23 means 2^23 bytes.
      if (ok && lib.zstd_set_parameter) lib.zstd_set_parameter(decoder->state, 100, 23);
      break;
  }
  if (!ok) {
    free(decoder);
    return NULL;
  }
  return decoder;
}

void uls_decoder_destroy(uls_decoder *decoder) {
  switch (decoder->coding) {
    case ULS_CODING_GZIP:
    case ULS_CODING_DEFLATE: inflateEnd(&decoder->z); break;
    case ULS_CODING_BROTLI: lib.brotli_destroy(decoder->state); break;
    case ULS_CODING_ZSTD: lib.zstd_destroy(decoder->state); break;
  }
  free(decoder);
}

static uls_decode_status step_zlib(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length) {
  // RFC 9110, 8.4.1.2: "deflate" is zlib-wrapped, yet some servers send raw DEFLATE. The first byte tells them apart: in a zlib header the low nibble
  // is 8 and the high nibble, the window, at most 7.
  if (decoder->coding == ULS_CODING_DEFLATE && !decoder->started && *in_length > 0) {
    if ((in[0] & 0x0f) != 8 || (in[0] >> 4) > 7) {
      if (inflateReset2(&decoder->z, -15) != Z_OK) return ULS_DECODE_ERROR;
    }
  }
  if (*in_length > 0) decoder->started = 1;
  if (decoder->ended) {
    // RFC 1952, 2.2: a gzip file may consist of several members, and a member may begin in any step. Bytes that don't begin with a gzip header's
    // first byte are ignored.
    if (decoder->coding != ULS_CODING_GZIP || *in_length == 0 || in[0] != 0x1f) {
      *in_length = 0;
      *out_length = 0;
      return ULS_DECODE_DONE;
    }
    if (inflateReset(&decoder->z) != Z_OK) return ULS_DECODE_ERROR;
    decoder->ended = 0;
  }
  decoder->z.next_in = (Bytef *)in;
  decoder->z.avail_in = (uInt)*in_length;
  decoder->z.next_out = out;
  decoder->z.avail_out = (uInt)*out_length;
  int result = inflate(&decoder->z, Z_NO_FLUSH);
  *in_length -= decoder->z.avail_in;
  *out_length -= decoder->z.avail_out;
  if (result == Z_STREAM_END) {
    decoder->ended = 1;
    return ULS_DECODE_DONE;
  }
  return result == Z_OK || result == Z_BUF_ERROR ? ULS_DECODE_PROGRESS : ULS_DECODE_ERROR;
}

static uls_decode_status step_brotli(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length) {
  size_t available_in = *in_length, available_out = *out_length;
  int result = lib.brotli_step(decoder->state, &available_in, &in, &available_out, &out, NULL);
  *in_length -= available_in;
  *out_length -= available_out;
  if (result == 0) return ULS_DECODE_ERROR;
  return result == 1 ? ULS_DECODE_DONE : ULS_DECODE_PROGRESS;
}

static uls_decode_status step_zstd(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length) {
  zstd_in input = {in, *in_length, 0};
  zstd_out output = {out, *out_length, 0};
  size_t result = lib.zstd_step(decoder->state, &output, &input);
  *in_length = input.pos;
  *out_length = output.pos;
  if (lib.zstd_is_error(result)) return ULS_DECODE_ERROR;
  // A result of 0 means that a frame has ended; another frame may follow (RFC 8878, 3).
  return result == 0 ? ULS_DECODE_DONE : ULS_DECODE_PROGRESS;
}

uls_decode_status uls_decoder_step(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length) {
  switch (decoder->coding) {
    case ULS_CODING_GZIP:
    case ULS_CODING_DEFLATE: return step_zlib(decoder, in, in_length, out, out_length);
    case ULS_CODING_BROTLI: return step_brotli(decoder, in, in_length, out, out_length);
    case ULS_CODING_ZSTD: return step_zstd(decoder, in, in_length, out, out_length);
  }
  return ULS_DECODE_ERROR;
}
