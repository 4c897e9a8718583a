#define _GNU_SOURCE
#include "detached_program.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// The program is started by two forks: with posix_spawn it would be a child of this process, which would have to wait for it as long as it runs.
// Between fork and exec only async-signal-safe functions are called, because other threads of this process may hold locks at the time of the fork.

static void close_from(int first) {
#ifdef SYS_close_range
  if (syscall(SYS_close_range, (unsigned)first, ~0U, 0U) == 0) return;
#endif
  struct rlimit limit;
  int end = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < 65536 ? (int)limit.rlim_cur : 65536;
  for (int descriptor = first; descriptor < end; descriptor++) close(descriptor);
}

static void reset_signals(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  // Ignores the errors for SIGKILL, SIGSTOP and the C library's own signals, whose action can't be set.
  for (int number = 1; number < NSIG; number++) sigaction(number, &action, NULL);
}

static void fail(int report, int code) {
  ssize_t written = write(report, &code, sizeof code);
  (void)written;
  _exit(127);
}

// Turns the first child into the detached program. Runs with all signals blocked; `report` is the writing end of the error pipe, a descriptor above
// 2.
static void become(
    int report, const char *path, const char *folder, char *const arguments[], char *const environment[], int mask) {
  reset_signals();
  if (mask >= 0) umask((mode_t)mask);
  if (setsid() < 0 || chdir(folder) != 0) fail(report, errno);
  int null = open("/dev/null", O_RDWR);
  if (null < 0) fail(report, errno);
  for (int stream = 0; stream < 3; stream++)
    if (null != stream && dup2(null, stream) < 0) fail(report, errno);
  if (report != 3) {
    if (dup3(report, 3, O_CLOEXEC) < 0) fail(report, errno);
    report = 3;
  }
  close_from(4);
  // The second fork has two effects: its child isn't a session leader, so a terminal that the program opens doesn't become its controlling terminal,
  // and the first process of the system adopts it when the first child exits.
  pid_t program = fork();
  if (program < 0) fail(report, errno);
  if (program > 0) _exit(0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  execve(path, arguments, environment);
  fail(report, errno);
}

static int start(
    const int ends[2], const char *path, const char *folder, char *const arguments[], char *const environment[], int mask) {
  sigset_t all, before;
  sigfillset(&all);
  // All signals stay blocked over the fork, so that the app's signal handlers don't run in the child.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) become(ends[1], path, folder, arguments, environment, mask);
  int code = child < 0 ? errno : 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(ends[1]);
  if (child < 0) return code;
  // A successful execve closes the child's end of the pipe (close-on-exec), so reading 0 bytes means that the program runs. Otherwise the child has
  // written an error number.
  ssize_t count;
  do count = read(ends[0], &code, sizeof code);
  while (count < 0 && errno == EINTR);
  // Reaps the first child. waitpid fails if the app ignores SIGCHLD or another thread has already waited for all children; that doesn't matter here.
  while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {}
  return count == 0 ? 0 : count == (ssize_t)sizeof code ? code : EIO;
}

int uls_start_detached(const char *path, const char *folder, char *const arguments[], char *const environment[], int mask) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno;
  // The child replaces descriptors 0 to 2. If the app has closed its standard streams, pipe2 may have returned one of these, so it is duplicated
  // above.
  int report = fcntl(ends[1], F_DUPFD_CLOEXEC, 3);
  int code = errno;
  close(ends[1]);
  if (report >= 0) code = start((int[2]){ends[0], report}, path, folder, arguments, environment, mask);
  close(ends[0]);
  return code;
}
