#define _GNU_SOURCE
#include "places.h"

#include "record.h"
#include "stacks.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum {
  UNIT = 16,
  UNKNOWN = 1,
  CACHE_BITS = 12,
  NUMBER_BITS = 26,
  // The most frames of the program that are recorded, and the room for this library's own frames, which are above them on the stack.
  LONGEST = 24,
  OWN_FRAMES = 8,
  SLOT_BITS = 20,
  PROBES = 32,
};

#define SLOT_COUNT (1UL << SLOT_BITS)
// The largest memory for places: as much as the 26 bits of a place number can address.
#define LARGEST_SIZE ((size_t)UNIT << NUMBER_BITS)
#define SMALLEST_SIZE ((size_t)1 << 22)

typedef struct {
  uint64_t count;
  uintptr_t frames[];
} place;

// A hash table with open addressing, from call stacks to places. A slot is written once: the upper 32 bits of the hash, and the number of the place.
static _Atomic uint64_t slots[SLOT_COUNT];

// A cache of the places of single callers, used without stacks. The lowest 12 bits of a caller's address are the index; an entry has the other bits
// and the number of the place.
static _Atomic uint64_t cache[1 << CACHE_BITS];

static _Atomic(char *) memory;
static _Atomic uint64_t used = 2 * UNIT;
static _Atomic int records_stacks;

void loading_leaks_record_stacks(void) {
  loading_leaks_prepare_walk();
  atomic_store(&records_stacks, 1);
}

static char *map_memory(void) {
  char *present = atomic_load_explicit(&memory, memory_order_acquire);
  if (__builtin_expect(present != NULL, 1)) return present;
  size_t size = LARGEST_SIZE;
  void *fresh = MAP_FAILED;
  // With a limit of the address space (RLIMIT_AS) the mapping may fail; it is then tried again with a quarter of the size.
  for (; size >= SMALLEST_SIZE && fresh == MAP_FAILED; size /= 4)
    fresh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return NULL;
  size *= 4;
  if (atomic_compare_exchange_strong(&memory, &present, (char *)fresh)) {
    loading_leaks_blocks.slots = (uint64_t)(uintptr_t)slots;
    loading_leaks_blocks.slots_size = sizeof slots;
    loading_leaks_blocks.cache = (uint64_t)(uintptr_t)cache;
    loading_leaks_blocks.cache_size = sizeof cache;
    __atomic_store_n(&loading_leaks_blocks.places_size, size, __ATOMIC_RELAXED);
    __atomic_store_n(&loading_leaks_blocks.places, (uint64_t)(uintptr_t)fresh, __ATOMIC_RELEASE);
    return (char *)fresh;
  }
  munmap(fresh, size);
  return present;
}

static uint64_t hash_of(const uintptr_t *frames, size_t count) {
  uint64_t hash = count;
  for (size_t index = 0; index < count; index++) {
    hash = (hash ^ frames[index]) * 0x9E3779B97F4A7C15ULL;
    hash ^= hash >> 29;
  }
  return hash;
}

static uint32_t append(char *base, const uintptr_t *frames, size_t count) {
  size_t size = (sizeof(place) + count * sizeof(uintptr_t) + UNIT - 1) / UNIT * UNIT;
  uint64_t offset = atomic_fetch_add_explicit(&used, size, memory_order_relaxed);
  uint64_t limit = __atomic_load_n(&loading_leaks_blocks.places_size, __ATOMIC_RELAXED);
  if (offset + size > limit) return UNKNOWN;
  place *fresh = (place *)(base + offset);
  memcpy(fresh->frames, frames, count * sizeof(uintptr_t));
  fresh->count = count;
  return (uint32_t)(offset / UNIT);
}

static uint32_t number_of(const uintptr_t *frames, size_t count) {
  char *base = map_memory();
  if (!base) return UNKNOWN;
  uint64_t hash = hash_of(frames, count);
  for (size_t probe = 0; probe < PROBES; probe++) {
    _Atomic uint64_t *slot = &slots[(hash + probe) & (SLOT_COUNT - 1)];
    uint64_t value = atomic_load_explicit(slot, memory_order_acquire);
    if (value == 0) {
      uint32_t number = append(base, frames, count);
      if (number == UNKNOWN) return UNKNOWN;
      if (atomic_compare_exchange_strong(slot, &value, (hash & 0xFFFFFFFF00000000ULL) | number)) return number;
    }
    if ((value ^ hash) >> 32) continue;
    place *present = (place *)(base + (value & 0xFFFFFFFF) * UNIT);
    if (present->count == count && memcmp(present->frames, frames, count * sizeof(uintptr_t)) == 0) return (uint32_t)value;
  }
  return UNKNOWN;
}

static uint32_t stack_number(uintptr_t caller) {
  uintptr_t frames[LONGEST + OWN_FRAMES];
  size_t count = loading_leaks_walk(frames, LONGEST + OWN_FRAMES);
  // The first frames belong to this library; the program's frames begin at the one whose address is `caller`.
  size_t first = 0;
  while (first < count && frames[first] != caller) first++;
  if (first >= count) return number_of(&caller, 1);
  return number_of(&frames[first], count - first);
}

uint32_t loading_leaks_place(void *caller) {
  uintptr_t address = (uintptr_t)caller;
  if (__builtin_expect(atomic_load_explicit(&records_stacks, memory_order_relaxed), 0)) return stack_number(address);
  _Atomic uint64_t *cached = &cache[address & ((1 << CACHE_BITS) - 1)];
  uint64_t value = atomic_load_explicit(cached, memory_order_relaxed);
  if (__builtin_expect(value >> NUMBER_BITS == address >> CACHE_BITS, 1)) return (uint32_t)(value & ((1 << NUMBER_BITS) - 1));
  uint32_t number = number_of(&address, 1);
  atomic_store_explicit(cached, (uint64_t)(address >> CACHE_BITS) << NUMBER_BITS | number, memory_order_relaxed);
  return number;
}
