// Names of Darwin's C library that Linux's hasn't: locks over futex, the clock of Mach, the main thread.
#ifndef CAPPLEDARWIN_H
#define CAPPLEDARWIN_H

#include <stdbool.h>
#include <stdint.h>

/// A lock of one word: 0 unlocked, which is how it begins, 1 locked, 2 locked and waited for.
typedef struct os_unfair_lock_s {
  uint32_t _os_unfair_lock_opaque;
} os_unfair_lock, *os_unfair_lock_t;

#define OS_UNFAIR_LOCK_INIT ((os_unfair_lock){0})

/// Waits for the lock and takes it. A thread that has it already waits forever.
void os_unfair_lock_lock(os_unfair_lock_t _Nonnull lock);

/// Takes the lock if it is free.
bool os_unfair_lock_trylock(os_unfair_lock_t _Nonnull lock);

/// Gives the lock back.
void os_unfair_lock_unlock(os_unfair_lock_t _Nonnull lock);

/// Ends the process if the lock is free. Which thread has it isn't known here.
void os_unfair_lock_assert_owner(const os_unfair_lock *_Nonnull lock);

/// Has no effect: which thread has the lock isn't known here.
void os_unfair_lock_assert_not_owner(const os_unfair_lock *_Nonnull lock);

/// How ticks of `mach_absolute_time` become nanoseconds: by `numer / denom`.
struct mach_timebase_info {
  uint32_t numer;
  uint32_t denom;
};
typedef struct mach_timebase_info mach_timebase_info_data_t;
typedef mach_timebase_info_data_t *mach_timebase_info_t;

/// Fills in the scale, which is 1 / 1. Returns 0.
int mach_timebase_info(mach_timebase_info_t _Nonnull info);

/// Nanoseconds of a clock that doesn't go back, and stops while the machine sleeps.
uint64_t mach_absolute_time(void);

/// Nanoseconds of a clock that doesn't go back.
uint64_t mach_continuous_time(void);

/// 1 in the main thread, 0 in others.
int pthread_main_np(void);

#endif
