#ifndef ULS_LOADING_COMPRESSION_H
#define ULS_LOADING_COMPRESSION_H

// HTTP's content codings, the compression of WebSocket messages, and the checksum of bodies in the cache.

#include "checksum.h"
#include "content_decoder.h"
#include "message_deflate.h"

#endif
