#ifndef C_CONTENT_DECODER_H
#define C_CONTENT_DECODER_H

#include <stddef.h>
#include <stdint.h>

// Streaming decoders for HTTP's content codings. zlib is linked; Brotli and Zstandard are looked up at run time, so that neither
// building nor starting needs them.

typedef enum {
  CLS_CODING_GZIP = 0,
  CLS_CODING_DEFLATE = 1,
  CLS_CODING_BROTLI = 2,
  CLS_CODING_ZSTD = 3,
} cls_coding;

typedef enum {
  /// Input is used up or output is full.
  CLS_DECODE_PROGRESS = 0,
  /// The coded stream, or a member of it, has ended. Input that isn't used up after that is no further member.
  CLS_DECODE_DONE = 1,
  CLS_DECODE_ERROR = -1,
} cls_decode_status;

typedef struct cls_decoder cls_decoder;

/// Whether the library for `coding` is present.
int cls_decoder_available(cls_coding coding);
/// NULL if the library is absent or memory is short.
cls_decoder *cls_decoder_create(cls_coding coding);
void cls_decoder_destroy(cls_decoder *decoder);
/// Decodes from `in` to `out`; both lengths are in: available, out: used.
cls_decode_status cls_decoder_step(cls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);

#endif
