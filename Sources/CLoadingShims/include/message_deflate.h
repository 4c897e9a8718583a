#ifndef CLS_MESSAGE_DEFLATE_H
#define CLS_MESSAGE_DEFLATE_H

#include <stddef.h>
#include <stdint.h>

// Raw DEFLATE (RFC 1951) message by message, for permessage-deflate (RFC 7692). Lengths are in: available, out: used.

typedef struct cls_inflater cls_inflater;
/// `window_bits` 8…15. NULL if memory is short.
cls_inflater *cls_inflater_create(int window_bits);
void cls_inflater_destroy(cls_inflater *inflater);
/// Returns 0, or -1 if the input isn't DEFLATE. All of the output room used means that there may be more.
int cls_inflater_step(cls_inflater *inflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length);
/// Forgets the earlier messages.
int cls_inflater_reset(cls_inflater *inflater);

typedef struct cls_deflater cls_deflater;
/// `window_bits` 9…15. NULL if memory is short.
cls_deflater *cls_deflater_create(int window_bits);
void cls_deflater_destroy(cls_deflater *deflater);
/// `flush` ends the input at a byte boundary with an empty stored block. Returns 0, or -1 if something is wrong with the deflater.
int cls_deflater_step(cls_deflater *deflater, const uint8_t *in, size_t *in_length, uint8_t *out, size_t *out_length, int flush);
/// Forgets the earlier messages.
int cls_deflater_reset(cls_deflater *deflater);

#endif
