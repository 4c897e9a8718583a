#define _GNU_SOURCE
#include "tool_output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Builds the child's environment: `variables` come first, because getenv returns the first of two variables with the same name. Only the list is
// allocated; the strings aren't copied.
static char **environment(const char *const *variables) {
  size_t own = 0, all = 0;
  while (variables[own]) own++;
  while (environ && environ[all]) all++;
  char **list = calloc(own + all + 1, sizeof *list);
  if (!list) return NULL;
  memcpy(list, variables, own * sizeof *list);
  if (all) memcpy(list + own, environ, all * sizeof *list);
  return list;
}

static pid_t start(const char *const *arguments, const char *const *variables, int output) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t none, defaults;
  pid_t child = -1;
  char **list = environment(variables);
  if (!list) return -1;
  posix_spawn_file_actions_init(&files);
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, 1);
  posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
  sigemptyset(&none);
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (posix_spawnp(&child, arguments[0], &files, &attributes, (char *const *)arguments, list)) child = -1;
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  free(list);
  return child;
}

// Reads the child's output until its end or the deadline. Bytes beyond `capacity` are read and dropped, so that the child doesn't block.
static long read_all(int fd, char *output, size_t capacity, int64_t deadline) {
  size_t count = 0;
  while (1) {
    int64_t left = deadline - now_ms();
    struct pollfd waiting = {.fd = fd, .events = POLLIN};
    int ready = left <= 0 ? 0 : poll(&waiting, 1, (int)left);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return ULS_TOOL_TIMED_OUT;
    char dropped[512];
    int fits = count < capacity;
    ssize_t received = fits ? read(fd, output + count, capacity - count) : read(fd, dropped, sizeof dropped);
    if (received < 0 && errno == EINTR) continue;
    if (received < 0) return ULS_TOOL_FAILED;
    if (received == 0) return (long)count;
    if (fits) count += (size_t)received;
  }
}

long uls_tool_output(const char *const *arguments, const char *const *variables, char *output, size_t capacity, int timeout_ms) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC)) return ULS_TOOL_FAILED;
  int64_t deadline = now_ms() + timeout_ms;
  pid_t child = start(arguments, variables, ends[1]);
  close(ends[1]);
  long count = child < 0 ? ULS_TOOL_FAILED : read_all(ends[0], output, capacity, deadline);
  close(ends[0]);
  if (child < 0) return count;
  // Reading has failed or timed out: the child is killed, as its output isn't used.
  if (count < 0) kill(child, SIGKILL);
  int status = 0;
  pid_t ended;
  do {
    ended = waitpid(child, &status, WNOHANG);
    if (ended == 0) {
      if (now_ms() > deadline) kill(child, SIGKILL);
      poll(NULL, 0, 2);
    }
  } while (ended == 0 || (ended < 0 && errno == EINTR));
  // If the app ignores SIGCHLD, waitpid fails and the child's exit status is unknown; its output then counts as valid.
  if (count >= 0 && ended == child && status != 0) return ULS_TOOL_FAILED;
  return count;
}
