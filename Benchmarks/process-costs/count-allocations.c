// Preloaded (LD_PRELOAD) into a client: counts calls that allocate memory, `realloc` included, and prints the count on standard error when
// the process exits. Two runs with different numbers of requests tell what a request adds.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// glibc's own names of its functions: those that are looked up at run time would allocate.
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static atomic_ulong allocations;

static void count(void) { atomic_fetch_add_explicit(&allocations, 1, memory_order_relaxed); }

void *malloc(size_t size) {
  count();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  count();
  return __libc_calloc(number, size);
}

void *realloc(void *memory, size_t size) {
  count();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
  count();
  void *result = __libc_memalign(alignment, size);
  if (!result) return ENOMEM;
  *memory = result;
  return 0;
}

/// For programs that look for it: the calls so far.
unsigned long counted_allocations(void) { return atomic_load_explicit(&allocations, memory_order_relaxed); }

__attribute__((destructor)) static void print(void) {
  dprintf(2, "allocations %lu\n", atomic_load_explicit(&allocations, memory_order_relaxed));
}
