#ifndef ULS_COMPRESSION_CONTENT_DECODER_H
#define ULS_COMPRESSION_CONTENT_DECODER_H

#include <stddef.h>
#include <stdint.h>

// Streaming decoders for HTTP's content codings. zlib is linked; Brotli and Zstandard are looked up at run time, so that neither
// building nor starting needs them.

typedef enum {
  ULS_CODING_GZIP = 0,
  ULS_CODING_DEFLATE = 1,
  ULS_CODING_BROTLI = 2,
  ULS_CODING_ZSTD = 3,
} uls_coding;

typedef enum {
  /// Input is used up or output is full.
  ULS_DECODE_PROGRESS = 0,
  /// The coded stream, or a member of it, has ended. Input that isn't used up after that is no further member.
  ULS_DECODE_DONE = 1,
  ULS_DECODE_ERROR = -1,
} uls_decode_status;

typedef struct uls_decoder uls_decoder;

/// Whether the library for `coding` is present.
int uls_decoder_available(uls_coding coding);
/// NULL if the library is absent or memory is short.
uls_decoder *uls_decoder_create(uls_coding coding);
void uls_decoder_destroy(uls_decoder *decoder);
/// Decodes from `in` to `out`; both lengths are in: available, out: used.
uls_decode_status uls_decoder_step(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);

#endif
