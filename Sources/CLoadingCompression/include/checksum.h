#ifndef ULS_COMPRESSION_CHECKSUM_H
#define ULS_COMPRESSION_CHECKSUM_H
#include <stddef.h>
#include <stdint.h>

// Computes XXH64, a fast 64-bit checksum (https://github.com/Cyan4973/xxHash, doc/xxhash_spec.md). It detects damaged data, not forged data.
uint64_t uls_checksum(const void *bytes, size_t count, uint64_t seed);
#endif
