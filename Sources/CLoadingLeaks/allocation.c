#define _GNU_SOURCE
#include "record.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

// Replaces the C library's allocation functions. Each calls glibc's implementation by its internal name `__libc_…`, which needs no dlsym: allocation
// functions are called while the dynamic linker is still resolving symbols.

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

void *malloc(size_t size) {
  void *block = __libc_malloc(size);
  loading_leaks_add(block, size, __builtin_return_address(0));
  return block;
}

void *calloc(size_t count, size_t size) {
  void *block = __libc_calloc(count, size);
  // The product doesn't overflow: `__libc_calloc` returns NULL if it would, and a NULL block isn't recorded.
  loading_leaks_add(block, count * size, __builtin_return_address(0));
  return block;
}

void free(void *block) {
  if (!block) return;
  loading_leaks_remove(block);
  __libc_free(block);
}

static void *reallocate(void *block, size_t size, void *caller) {
  if (!block) {
    void *fresh = __libc_malloc(size);
    loading_leaks_add(fresh, size, caller);
    return fresh;
  }
  __atomic_fetch_add(&loading_leaks_blocks.reallocations, 1, __ATOMIC_SEQ_CST);
  uint32_t entry = loading_leaks_remove(block);
  void *moved = __libc_realloc(block, size);
  if (moved)
    loading_leaks_add(moved, size, caller);
  else if (size > 0)
    loading_leaks_restore(block, entry);
  __atomic_fetch_sub(&loading_leaks_blocks.reallocations, 1, __ATOMIC_SEQ_CST);
  return moved;
}

void *realloc(void *block, size_t size) { return reallocate(block, size, __builtin_return_address(0)); }

void *reallocarray(void *block, size_t count, size_t size) {
  size_t product;
  if (__builtin_mul_overflow(count, size, &product)) {
    errno = ENOMEM;
    return NULL;
  }
  return reallocate(block, product, __builtin_return_address(0));
}

void *memalign(size_t alignment, size_t size) {
  void *block = __libc_memalign(alignment, size);
  loading_leaks_add(block, size, __builtin_return_address(0));
  return block;
}

void *aligned_alloc(size_t alignment, size_t size) {
  void *block = __libc_memalign(alignment, size);
  loading_leaks_add(block, size, __builtin_return_address(0));
  return block;
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) || alignment == 0 || (alignment & (alignment - 1))) return EINVAL;
  int before = errno;
  void *block = __libc_memalign(alignment, size);
  errno = before;
  if (!block) return ENOMEM;
  loading_leaks_add(block, size, __builtin_return_address(0));
  *result = block;
  return 0;
}

void *valloc(size_t size) {
  void *block = __libc_memalign((size_t)sysconf(_SC_PAGESIZE), size);
  loading_leaks_add(block, size, __builtin_return_address(0));
  return block;
}

void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  if (size > SIZE_MAX - page) {
    errno = ENOMEM;
    return NULL;
  }
  size_t whole = (size + page - 1) / page * page;
  void *block = __libc_memalign(page, whole);
  loading_leaks_add(block, whole, __builtin_return_address(0));
  return block;
}
