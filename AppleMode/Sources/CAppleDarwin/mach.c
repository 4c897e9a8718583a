#define _GNU_SOURCE
#include "CAppleDarwin.h"

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int mach_timebase_info(mach_timebase_info_t info) {
  info->numer = 1;
  info->denom = 1;
  return 0;
}

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

uint64_t mach_absolute_time(void) { return nanoseconds(CLOCK_MONOTONIC); }

uint64_t mach_continuous_time(void) { return nanoseconds(CLOCK_BOOTTIME); }

int pthread_main_np(void) { return syscall(SYS_gettid) == getpid(); }
