#ifndef LOADING_LEAKS_H
#define LOADING_LEAKS_H

#include <stdint.h>

// The interface between `urlload leaks` and the library that it preloads into a program. The library records each block of the C heap and tells the
// tool when the program ends; the tool then reads the record from the program's memory. All fields are 64 bits wide.

/// The first field of records and messages: the bytes "urlleaks" in little-endian memory.
#define LOADING_LEAKS_MAGIC 0x736b61656c6c7275ULL
/// The version of this interface, which grows with each change.
#define LOADING_LEAKS_VERSION 1

/// The record of the process's blocks.
///
/// The address space is divided into regions of 1 << `region_shift` bytes. `regions` is an array of `region_count` pointers, one for each region from
/// address 0 on: NULL, or the region's entries. An entry is a 32-bit word for each `granule` bytes: 0 if no block begins there, otherwise the block's
/// place (upper 26 bits) and its slack (lower 6 bits: usable size minus requested size, at most 63).
///
/// A place tells where a block was allocated. It is an offset from `places` in units of 16 bytes; at it are a 64-bit count and as many return
/// addresses, the innermost first. Place 1 has a count of 0: unknown.
typedef struct {
  uint64_t magic;
  uint64_t version;
  uint64_t regions;
  uint64_t region_count;
  uint64_t region_shift;
  uint64_t granule;
  uint64_t places;
  /// The size in bytes of the memory at `places`.
  uint64_t places_size;
  /// The number of running realloc calls. During one, a block's contents may be in a new block that isn't recorded yet.
  uint64_t reallocations;
  /// The number of blocks that couldn't be recorded because there was no address space for their region.
  uint64_t lost;
  /// The addresses and sizes in bytes of two more tables of the library, in which, as in `regions`, the tool doesn't look for references.
  uint64_t slots;
  uint64_t slots_size;
  uint64_t cache;
  uint64_t cache_size;
} loading_leaks_record;

/// The kinds of messages to the tool.
enum { LOADING_LEAKS_STARTED = 1, LOADING_LEAKS_ENDING = 2 };

/// A message from the library to the tool's socket. The library then waits for one byte, or until the tool closes the connection. The answer
/// LOADING_LEAKS_WANTED to LOADING_LEAKS_STARTED means that the process is to be recorded.
typedef struct {
  uint64_t magic;
  uint64_t version;
  uint64_t kind;
  /// The address of the process's `loading_leaks_record`.
  uint64_t record;
  /// The exit status with which the program is about to end.
  uint64_t status;
} loading_leaks_message;

#define LOADING_LEAKS_WANTED 'y'

/// The environment variable with the path of the tool's socket. Without it, the library records but doesn't send messages.
#define LOADING_LEAKS_SOCKET "URLLOAD_LEAKS_SOCKET"
/// "1": the whole call stack of each allocation is recorded, not only the caller of malloc.
#define LOADING_LEAKS_STACKS "URLLOAD_LEAKS_STACKS"
/// "1": forked children report their endings too.
#define LOADING_LEAKS_CHILDREN "URLLOAD_LEAKS_CHILDREN"

#endif
