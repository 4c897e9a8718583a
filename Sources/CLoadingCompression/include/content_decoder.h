#ifndef ULS_COMPRESSION_CONTENT_DECODER_H
#define ULS_COMPRESSION_CONTENT_DECODER_H

#include <stddef.h>
#include <stdint.h>

// Streaming decoders for HTTP's content codings. zlib is linked; Brotli and Zstandard are loaded at run time, so that neither building nor starting
// the program needs them.

typedef enum {
  ULS_CODING_GZIP = 0,
  ULS_CODING_DEFLATE = 1,
  ULS_CODING_BROTLI = 2,
  ULS_CODING_ZSTD = 3,
} uls_coding;

typedef enum {
  /// All input has been used, or the output is full: decoding continues with the next call.
  ULS_DECODE_PROGRESS = 0,
  /// The coded stream, or one member (gzip) or frame (Zstandard) of it, has ended. The next call continues with a further member; remaining input
  /// that it doesn't use belongs to none.
  ULS_DECODE_DONE = 1,
  ULS_DECODE_ERROR = -1,
} uls_decode_status;

typedef struct uls_decoder uls_decoder;

/// Whether the library for `coding` is present.
int uls_decoder_available(uls_coding coding);
/// Creates a decoder for `coding`. NULL if the library is missing or memory is short.
uls_decoder *uls_decoder_create(uls_coding coding);
void uls_decoder_destroy(uls_decoder *decoder);
/// Decodes from `in` to `out`. The caller sets both lengths to the bytes available; the call sets them to the bytes used.
uls_decode_status uls_decoder_step(uls_decoder *decoder, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);

#endif
