#ifndef ULS_LOADING_COMPRESSION_H
#define ULS_LOADING_COMPRESSION_H

// Content codings, the compression of WebSocket messages, and the checksum of stored bodies.

#include "checksum.h"
#include "content_decoder.h"
#include "message_deflate.h"

#endif
