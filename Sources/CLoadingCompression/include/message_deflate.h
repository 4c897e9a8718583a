#ifndef ULS_COMPRESSION_MESSAGE_DEFLATE_H
#define ULS_COMPRESSION_MESSAGE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Raw DEFLATE (RFC 1951) message by message, for WebSocket's permessage-deflate (RFC 7692). For `step`, the caller sets the lengths to the bytes
// available, and the call sets them to the bytes used.

typedef struct uls_inflater uls_inflater;
/// Creates a decompressor with a window of 2^`window_bits` bytes, 8 to 15. NULL if memory is short.
uls_inflater *uls_inflater_create(int window_bits);
void uls_inflater_destroy(uls_inflater *inflater);
/// Decompresses part of a message. Returns 0, or -1 if the input isn't valid DEFLATE. If it has filled all of `out`, there may be more output.
int uls_inflater_step(uls_inflater *inflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);
/// Clears the window, so that the next message can't refer to earlier ones ("no context takeover"). Returns 0, or -1 on failure.
int uls_inflater_reset(uls_inflater *inflater);

typedef struct uls_deflater uls_deflater;
/// Creates a compressor with a window of 2^`window_bits` bytes, 9 to 15. NULL if memory is short.
uls_deflater *uls_deflater_create(int window_bits);
void uls_deflater_destroy(uls_deflater *deflater);
/// Compresses part of a message. With `flush`, the output ends at a byte boundary with an empty stored block. Returns 0, or -1 if the compressor is
/// in an invalid state.
int uls_deflater_step(uls_deflater *deflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length, int flush);
/// Clears the window, so that the next message doesn't refer to earlier ones ("no context takeover"). Returns 0, or -1 on failure.
int uls_deflater_reset(uls_deflater *deflater);

#endif
