// Makes event loops late: preloaded by `scripts/tests/shake-tests`. What a test takes for granted about the order in which a server and its
// client see the same thing shows itself, because each thread is late in a way of its own.
//
//   LATE_SEED          what the choices are drawn from
//   LATE_PERCENT       how many wake-ups and connects are late, in percent
//   LATE_MICROSECONDS  by how much at most
//   LATE_THREADS       how many threads are late each time, in percent, and
//   LATE_ALWAYS        by how many microseconds

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static long setting(const char *name, long otherwise) {
  const char *value = getenv(name);
  return value ? atol(value) : otherwise;
}

static uint64_t seed;
static long percent, microseconds, always;
static unsigned long threads;

__attribute__((constructor)) static void configure(void) {
  seed = (uint64_t)setting("LATE_SEED", 1);
  percent = setting("LATE_PERCENT", 10);
  microseconds = setting("LATE_MICROSECONDS", 30000);
  threads = (unsigned long)setting("LATE_THREADS", 50);
  always = setting("LATE_ALWAYS", 10000);
  if (microseconds < 1) microseconds = 1;
}

// xorshift64*, one per thread.
static uint64_t draw(void) {
  static __thread uint64_t state;
  if (!state) state = (seed ^ (uint64_t)gettid() * 0x9E3779B97F4A7C15u) | 1;
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (state * 0x2545F4914F6CDD1Du) >> 16;
}

static void wait_for(long duration) {
  struct timespec time = {duration / 1000000, duration % 1000000 * 1000};
  int error = errno;
  clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
  errno = error;
}

static void be_late(void) {
  static __thread int character = -1;
  if (character < 0) character = draw() % 100 < threads;
  if (character) wait_for(always);
  if ((long)(draw() % 100) < percent) wait_for((long)(draw() % (uint64_t)microseconds));
}

int epoll_wait(int descriptor, struct epoll_event *events, int count, int timeout) {
  static int (*real)(int, struct epoll_event *, int, int);
  if (!real) real = (int (*)(int, struct epoll_event *, int, int))dlsym(RTLD_NEXT, "epoll_wait");
  int result = real(descriptor, events, count, timeout);
  if (result > 0) be_late();
  return result;
}

int connect(int descriptor, const struct sockaddr *address, socklen_t length) {
  static int (*real)(int, const struct sockaddr *, socklen_t);
  if (!real) real = (int (*)(int, const struct sockaddr *, socklen_t))dlsym(RTLD_NEXT, "connect");
  int result = real(descriptor, address, length);
  if (address && address->sa_family != AF_UNIX) be_late();
  return result;
}
