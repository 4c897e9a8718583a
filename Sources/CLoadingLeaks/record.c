#define _GNU_SOURCE
#include "record.h"

#include "places.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { REGION_SHIFT = 30, GRANULE_SHIFT = 4, SLACK_BITS = 6, LONGEST_SLACK = (1 << SLACK_BITS) - 1 };

// User space has 48 bits of address.
#define REGION_COUNT (1UL << (48 - REGION_SHIFT))
#define REGION_MASK ((1UL << REGION_SHIFT) - 1)
#define REGION_ENTRIES (1UL << (REGION_SHIFT - GRANULE_SHIFT))

// An entry is written only by the thread that allocates or frees the block. The tool reads entries while all threads are stopped.
typedef _Atomic uint32_t entry;

// Pages of this array are used only for regions near a heap, so most of its size takes no memory.
static _Atomic(entry *) regions[REGION_COUNT];

loading_leaks_record loading_leaks_blocks = {
    .magic = LOADING_LEAKS_MAGIC,
    .version = LOADING_LEAKS_VERSION,
    .regions = (uint64_t)(uintptr_t)regions,
    .region_count = REGION_COUNT,
    .region_shift = REGION_SHIFT,
    .granule = 1 << GRANULE_SHIFT,
};

static _Atomic int is_stopped;

void loading_leaks_stop_recording(void) { atomic_store(&is_stopped, 1); }

static void lose(void) { __atomic_fetch_add(&loading_leaks_blocks.lost, 1, __ATOMIC_RELAXED); }

// Maps the entries of a region. Only address space is reserved: the kernel allocates pages when entries are written.
static entry *map_region(size_t region) {
  size_t size = REGION_ENTRIES * sizeof(entry);
  void *fresh = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return NULL;
  entry *expected = NULL;
  if (atomic_compare_exchange_strong(&regions[region], &expected, (entry *)fresh)) return (entry *)fresh;
  // Another thread has mapped the entries of this region first.
  munmap(fresh, size);
  return expected;
}

static inline entry *find(uintptr_t address) {
  entry *entries = atomic_load_explicit(&regions[(address >> REGION_SHIFT) & (REGION_COUNT - 1)], memory_order_acquire);
  return entries ? &entries[(address & REGION_MASK) >> GRANULE_SHIFT] : NULL;
}

/// The same as malloc_usable_size, computed from the size field before the block, without a call. The chunk's header takes one word of that size, or
/// two if the chunk is a mapping of its own (flag 2). The lowest three bits are flags.
static inline size_t usable_size(const void *block) {
  size_t header = ((const size_t *)block)[-1];
  return (header & ~(size_t)7) - (header & 2 ? 2 : 1) * sizeof(size_t);
}

void loading_leaks_add(void *block, size_t size, void *caller) {
  if (!block || __builtin_expect(atomic_load_explicit(&is_stopped, memory_order_relaxed), 0)) return;
  uintptr_t address = (uintptr_t)block;
  entry *slot = find(address);
  if (__builtin_expect(!slot, 0)) {
    entry *entries = map_region((address >> REGION_SHIFT) & (REGION_COUNT - 1));
    if (!entries) {
      lose();
      return;
    }
    slot = &entries[(address & REGION_MASK) >> GRANULE_SHIFT];
  }
  size_t slack = usable_size(block) - size;
  uint32_t value = loading_leaks_place(caller) << SLACK_BITS | (uint32_t)(slack < LONGEST_SLACK ? slack : LONGEST_SLACK);
  atomic_store_explicit(slot, value, memory_order_relaxed);
}

uint32_t loading_leaks_remove(void *block) {
  entry *slot = find((uintptr_t)block);
  if (!slot) return 0;
  uint32_t value = atomic_load_explicit(slot, memory_order_relaxed);
  atomic_store_explicit(slot, 0, memory_order_relaxed);
  return value;
}

void loading_leaks_restore(void *block, uint32_t value) {
  entry *slot = find((uintptr_t)block);
  if (slot) atomic_store_explicit(slot, value, memory_order_relaxed);
}
