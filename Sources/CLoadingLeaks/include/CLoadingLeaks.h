#ifndef LOADING_LEAKS_H
#define LOADING_LEAKS_H

#include <stdint.h>

// A library that `urlload leaks` preloads into a program. It records each block of the C heap, and tells the tool when the program ends.
// The tool reads the record from the program's memory: what is below is their agreement. All fields are 64 bits wide.

/// "urlleaks" in memory.
#define LOADING_LEAKS_MAGIC 0x736b61656c6c7275ULL
/// Grows with each change of this agreement.
#define LOADING_LEAKS_VERSION 1

/// The record of the process's blocks.
///
/// Memory is divided into regions of 1 << `region_shift` bytes. `regions` is an array of `region_count` pointers, one for each region from
/// address 0 on: NULL, or the region's entries. An entry is a 32-bit word for each `granule` bytes: 0 where no block begins, or else
/// the block's place (upper 26 bits) and its slack (lower 6 bits: usable size minus the size that was asked for, at most 63).
///
/// A place says where a block was allocated: in units of 16 bytes from `places` on, a 64-bit count and as many return addresses, the
/// innermost first. Place 1 has a count of 0.
typedef struct {
  uint64_t magic;
  uint64_t version;
  uint64_t regions;
  uint64_t region_count;
  uint64_t region_shift;
  uint64_t granule;
  uint64_t places;
  /// How many bytes `places` may take.
  uint64_t places_size;
  /// How many calls of realloc are running: meanwhile a block's contents may be in a block that isn't recorded yet.
  uint64_t reallocations;
  /// How many blocks couldn't be recorded for want of address space.
  uint64_t lost;
  /// Two tables of the library besides `regions`, which aren't searched for references: their addresses and sizes in bytes.
  uint64_t slots;
  uint64_t slots_size;
  uint64_t cache;
  uint64_t cache_size;
} loading_leaks_record;

/// What a message to the tool is about.
enum { LOADING_LEAKS_STARTED = 1, LOADING_LEAKS_ENDING = 2 };

/// What the library sends to the tool's socket. It then waits for a byte, or until the tool closes the connection. After
/// LOADING_LEAKS_STARTED the byte LOADING_LEAKS_WANTED says that the process is to be recorded.
typedef struct {
  uint64_t magic;
  uint64_t version;
  uint64_t kind;
  /// The address of the process's `loading_leaks_record`.
  uint64_t record;
  /// The exit status that the program is about to have.
  uint64_t status;
} loading_leaks_message;

#define LOADING_LEAKS_WANTED 'y'

/// The path of the tool's socket. Without it the library only records.
#define LOADING_LEAKS_SOCKET "URLLOAD_LEAKS_SOCKET"
/// "1": whole stacks are recorded, not only the place that called malloc.
#define LOADING_LEAKS_STACKS "URLLOAD_LEAKS_STACKS"
/// "1": copies of the process by fork report their endings too.
#define LOADING_LEAKS_CHILDREN "URLLOAD_LEAKS_CHILDREN"

#endif
