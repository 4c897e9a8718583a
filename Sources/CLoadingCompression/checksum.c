#include "checksum.h"

#include <string.h>

// An implementation of XXH64, written from its specification.

static const uint64_t PRIME1 = 0x9E3779B185EBCA87ULL;
static const uint64_t PRIME2 = 0xC2B2AE3D27D4EB4FULL;
static const uint64_t PRIME3 = 0x165667B19E3779F9ULL;
static const uint64_t PRIME4 = 0x85EBCA77C2B2AE63ULL;
static const uint64_t PRIME5 = 0x27D4EB2F165667C5ULL;

static uint64_t rotated(uint64_t value, int bits) { return value << bits | value >> (64 - bits); }

// XXH64 reads its input as little-endian numbers.
static uint64_t read64(const uint8_t *bytes) {
  uint64_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap64(value);
#endif
  return value;
}

static uint64_t read32(const uint8_t *bytes) {
  uint32_t value;
  memcpy(&value, bytes, sizeof value);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  value = __builtin_bswap32(value);
#endif
  return value;
}

static uint64_t rounded(uint64_t lane, uint64_t value) { return rotated(lane + value * PRIME2, 31) * PRIME1; }

static uint64_t merged(uint64_t sum, uint64_t lane) { return (sum ^ rounded(0, lane)) * PRIME1 + PRIME4; }

uint64_t uls_checksum(const void *bytes, size_t count, uint64_t seed) {
  const uint8_t *next = bytes;
  size_t left = count;
  uint64_t sum;
  if (left >= 32) {
    uint64_t a = seed + PRIME1 + PRIME2, b = seed + PRIME2, c = seed, d = seed - PRIME1;
    for (; left >= 32; next += 32, left -= 32) {
      a = rounded(a, read64(next));
      b = rounded(b, read64(next + 8));
      c = rounded(c, read64(next + 16));
      d = rounded(d, read64(next + 24));
    }
    sum = rotated(a, 1) + rotated(b, 7) + rotated(c, 12) + rotated(d, 18);
    sum = merged(merged(merged(merged(sum, a), b), c), d);
  } else {
    sum = seed + PRIME5;
  }
  sum += count;
  for (; left >= 8; next += 8, left -= 8) sum = rotated(sum ^ rounded(0, read64(next)), 27) * PRIME1 + PRIME4;
  if (left >= 4) {
    sum = rotated(sum ^ read32(next) * PRIME1, 23) * PRIME2 + PRIME3;
    next += 4;
    left -= 4;
  }
  for (; left > 0; next += 1, left -= 1) sum = rotated(sum ^ *next * PRIME5, 11) * PRIME1;
  sum = (sum ^ sum >> 33) * PRIME2;
  sum = (sum ^ sum >> 29) * PRIME3;
  return sum ^ sum >> 32;
}
