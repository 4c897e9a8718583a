#ifndef ULS_COMPRESSION_MESSAGE_DEFLATE_H
#define ULS_COMPRESSION_MESSAGE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Raw DEFLATE (RFC 1951) message by message, for permessage-deflate (RFC 7692). Lengths are in: available, out: used.

typedef struct uls_inflater uls_inflater;
/// `window_bits` 8…15. NULL if memory is short.
uls_inflater *uls_inflater_create(int window_bits);
void uls_inflater_destroy(uls_inflater *inflater);
/// Returns 0, or -1 if the input isn't DEFLATE. All of the output room used means that there may be more.
int uls_inflater_step(uls_inflater *inflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);
/// Forgets the earlier messages.
int uls_inflater_reset(uls_inflater *inflater);

typedef struct uls_deflater uls_deflater;
/// `window_bits` 9…15. NULL if memory is short.
uls_deflater *uls_deflater_create(int window_bits);
void uls_deflater_destroy(uls_deflater *deflater);
/// `flush` ends the input at a byte boundary with an empty stored block. Returns 0, or -1 if something is wrong with the deflater.
int uls_deflater_step(uls_deflater *deflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length, int flush);
/// Forgets the earlier messages.
int uls_deflater_reset(uls_deflater *deflater);

#endif
