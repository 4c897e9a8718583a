#define _GNU_SOURCE
#include "record.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

// The library's messages to the tool (`urlload leaks`): that the process has started, and that it is about to end. The ending is reported before the
// functions of atexit and the destructors of globals run, because these release blocks that the program still holds.

extern char **environ;

// Static instead of on the stack: unused parts of a local variable would keep old stack contents, which the tool would take for references to blocks.
static struct sockaddr_un tool_address = {.sun_family = AF_UNIX};
static loading_leaks_message message = {.magic = LOADING_LEAKS_MAGIC, .version = LOADING_LEAKS_VERSION};

static bool reports_children;
static _Atomic pid_t recorded_process;

enum { RUNNING, REPORTING, REPORTED };
static _Atomic int stage = RUNNING;

/// Sends a message to the tool and waits for its answer. Returns the answered byte, or 0 if the tool can't be reached.
static char send_message(uint64_t kind, int status) {
  if (tool_address.sun_path[0] == 0) return 0;
  int connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connection < 0) return 0;
  static char answer;
  answer = 0;
  message.kind = kind;
  message.record = (uint64_t)(uintptr_t)&loading_leaks_blocks;
  message.status = (uint64_t)(uint32_t)status;
  if (connect(connection, (struct sockaddr *)&tool_address, sizeof tool_address) == 0 &&
      send(connection, &message, sizeof message, MSG_NOSIGNAL) == (ssize_t)sizeof message) {
    while (read(connection, &answer, 1) < 0 && errno == EINTR) {}
  }
  close(connection);
  return answer;
}

/// Overwrites the stack below the caller's frame. Functions that are called later don't write all of their frames, so that pointers of earlier calls
/// would remain there and count as references.
__attribute__((noinline)) static void clear_stack(void) {
  volatile char left[8192];
  for (size_t index = 0; index < sizeof left; index++) left[index] = 0;
}

/// Flushes standard output, so that the program's output appears before the tool's report. Does nothing if another thread holds the stream's lock.
static void flush_output(void) {
  if (ftrylockfile(stdout) != 0) return;
  fflush_unlocked(stdout);
  funlockfile(stdout);
}

/// Called when the process is about to end. The first call reports to the tool, and returns when the tool has read the process's memory.
static void report_ending(int status) {
  if (getpid() != atomic_load(&recorded_process)) {
    if (!reports_children) return;
    // The process is a forked child: it has a copy of the parent's record, and hasn't reported an ending yet.
    atomic_store(&recorded_process, getpid());
    atomic_store(&stage, RUNNING);
  }
  int before = errno;
  int expected = RUNNING;
  if (atomic_compare_exchange_strong(&stage, &expected, REPORTING)) {
    flush_output();
    clear_stack();
    send_message(LOADING_LEAKS_ENDING, status);
    atomic_store(&stage, REPORTED);
  }
  // Another thread is reporting: this thread mustn't end the process while the tool reads its memory.
  while (atomic_load(&stage) == REPORTING) sched_yield();
  errno = before;
}

// MARK: - The start of the process

static const char *variable(const char *name) {
  const char *value = secure_getenv(name);
  return value ? value : "";
}

/// Removes a variable from the environment without allocating memory.
static void remove_variable(const char *name) {
  size_t length = strlen(name);
  char **kept = environ;
  for (char **each = environ; *each; each++)
    if (strncmp(*each, name, length) != 0 || (*each)[length] != '=') *kept++ = *each;
  *kept = NULL;
}

/// Removes this library, which the tool has put first, from LD_PRELOAD.
static void remove_preload(void) {
  char *list = secure_getenv("LD_PRELOAD");
  char *rest = list ? strchr(list, ':') : NULL;
  if (rest)
    memmove(list, rest + 1, strlen(rest + 1) + 1);
  else
    remove_variable("LD_PRELOAD");
}

static void leave_alone(void) {
  loading_leaks_stop_recording();
  tool_address.sun_path[0] = 0;
  remove_preload();
  remove_variable(LOADING_LEAKS_SOCKET);
  remove_variable(LOADING_LEAKS_STACKS);
  remove_variable(LOADING_LEAKS_CHILDREN);
}

// The variables stay in the environment for a program that this process becomes by exec. Children inherit them too; the tool answers a child that it
// doesn't want to record, and `leave_alone` then removes them.
__attribute__((constructor)) static void begin(void) {
  const char *path = variable(LOADING_LEAKS_SOCKET);
  if (*path == 0 || strlen(path) >= sizeof tool_address.sun_path) return;
  strcpy(tool_address.sun_path, path);
  atomic_store(&recorded_process, getpid());
  reports_children = strcmp(variable(LOADING_LEAKS_CHILDREN), "1") == 0;
  int before = errno;
  if (send_message(LOADING_LEAKS_STARTED, 0) != LOADING_LEAKS_WANTED)
    leave_alone();
  else if (strcmp(variable(LOADING_LEAKS_STACKS), "1") == 0)
    loading_leaks_record_stacks();
  errno = before;
}

// MARK: - The ways to end

// Reports the ending if no function below was called: the last thread has called pthread_exit, and glibc calls its internal exit. This runs later
// than the other reports, among the destructors.
__attribute__((destructor)) static void end_late(void) { report_ending(0); }

typedef int (*main_function)(int, char **, char **);
static main_function program_main;

// Not inlined, so that the frame of `main`, with its references, is gone when the ending is reported.
__attribute__((noinline)) static int call_main(int count, char **arguments, char **variables) {
  int status = program_main(count, arguments, variables);
  return status;
}

static int run_main(int count, char **arguments, char **variables) {
  int status = call_main(count, arguments, variables);
  report_ending(status);
  return status;
}

typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

/// Replaces glibc's function that calls `main`, to report the ending when `main` has returned.
int __libc_start_main(
    main_function start, int count, char **arguments, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *stack_end) {
  program_main = start;
  start_function next = (start_function)dlsym(RTLD_NEXT, "__libc_start_main");
  return next(run_main, count, arguments, init, fini, rtld_fini, stack_end);
}

#define LOADING_LEAKS_EXIT(name)                                      \
  __attribute__((noreturn)) void name(int status) {                   \
    report_ending(status);                                            \
    ((void (*)(int))dlsym(RTLD_NEXT, #name))(status);                 \
    __builtin_unreachable();                                          \
  }

LOADING_LEAKS_EXIT(exit)
LOADING_LEAKS_EXIT(_exit)
LOADING_LEAKS_EXIT(_Exit)
LOADING_LEAKS_EXIT(quick_exit)
