// Runs a command COUNT times, one after the other, and prints a line for each: its CPU and its largest resident size by wait4, from start to
// exit, its wall-clock time, and the largest number of threads that it had at once. The threads are those of one more run beforehand, under
// ptrace, which reports each thread's begin and end; that run isn't measured.
//
//     measure-start COUNT COMMAND [ARGUMENT...]
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what) {
  fprintf(stderr, "%s: %s\n", what, strerror(errno));
  exit(1);
}

static pid_t start(char **command, int traced) {
  pid_t child = fork();
  if (child < 0) fail("fork");
  if (child > 0) return child;
  if (traced && (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0 || raise(SIGSTOP) != 0)) _exit(126);
  execvp(command[0], command);
  fprintf(stderr, "%s: %s\n", command[0], strerror(errno));
  _exit(127);
}

// Returns 0 where ptrace isn't allowed.
static int threads_at_most(char **command) {
  int status = 0, live = 1, most = 1;
  pid_t child = start(command, 1);
  if (waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return 0;
  if (ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL)) != 0) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return 0;
  }
  ptrace(PTRACE_CONT, child, NULL, NULL);
  for (;;) {
    pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) return most;
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      live--;
      if (thread == child) return most;
      continue;
    }
    long signal = 0;
    if (status >> 8 == (SIGTRAP | PTRACE_EVENT_CLONE << 8)) {
      if (++live > most) most = live;
    } else if (WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP) {
      // A new thread begins with SIGSTOP, a new program with SIGTRAP: both are the tracer's.
      signal = WSTOPSIG(status);
    }
    ptrace(PTRACE_CONT, thread, NULL, (void *)signal);
  }
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
  if (argc < 3 || atol(argv[1]) < 1) {
    fprintf(stderr, "usage: measure-start COUNT COMMAND [ARGUMENT...]\n");
    return 64;
  }
  char **command = argv + 2;
  // It also fills the page cache with the program.
  int threads = threads_at_most(command);
  for (long i = atol(argv[1]); i > 0; i--) {
    struct rusage usage;
    int status = 0;
    double begin = now();
    pid_t child = start(command, 0);
    if (wait4(child, &status, 0, &usage) != child) fail("wait4");
    double wall = now() - begin;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      fprintf(stderr, "%s ended with %d\n", command[0], WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
      return 1;
    }
    printf("{\"cpu_us_per_request\": %.0f, \"requests_per_second\": %.1f, \"peak_mib\": %.1f, \"threads\": ",
      (seconds(usage.ru_utime) + seconds(usage.ru_stime)) * 1e6, 1 / wall, (double)usage.ru_maxrss / 1024);
    printf(threads > 0 ? "%d}\n" : "null}\n", threads);
  }
  return 0;
}
