#define _GNU_SOURCE
#include "CAppleDarwin.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE = 0, TAKEN = 1, WAITED_FOR = 2 };

// Returns early on signals and when the word has changed: callers look again.
static void wait_while(uint32_t *word, uint32_t value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }

bool os_unfair_lock_trylock(os_unfair_lock_t lock) {
  uint32_t expected = FREE;
  return __atomic_compare_exchange_n(
      &lock->_os_unfair_lock_opaque, &expected, TAKEN, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

void os_unfair_lock_lock(os_unfair_lock_t lock) {
  if (os_unfair_lock_trylock(lock)) return;
  uint32_t *word = &lock->_os_unfair_lock_opaque;
  // The thread that takes the lock after a wait doesn't know whether others wait: it leaves the word saying so.
  while (__atomic_exchange_n(word, WAITED_FOR, __ATOMIC_ACQUIRE) != FREE) wait_while(word, WAITED_FOR);
}

void os_unfair_lock_unlock(os_unfair_lock_t lock) {
  uint32_t *word = &lock->_os_unfair_lock_opaque;
  if (__atomic_exchange_n(word, FREE, __ATOMIC_RELEASE) == WAITED_FOR) {
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  }
}

void os_unfair_lock_assert_owner(const os_unfair_lock *lock) {
  if (__atomic_load_n(&lock->_os_unfair_lock_opaque, __ATOMIC_RELAXED) == FREE) abort();
}

void os_unfair_lock_assert_not_owner(const os_unfair_lock *lock) { (void)lock; }
