#define _GNU_SOURCE
#include "CLoadingTracing.h"

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static int result(long returned) { return returned < 0 ? errno : 0; }

int loading_leaks_seize(pid_t thread) { return result(ptrace(PTRACE_SEIZE, thread, NULL, NULL)); }

int loading_leaks_interrupt(pid_t thread) { return result(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL)); }

int loading_leaks_detach(pid_t thread, int number) { return result(ptrace(PTRACE_DETACH, thread, NULL, (void *)(long)number)); }

int loading_leaks_await_stop(pid_t thread, int *number) {
  int status = 0;
  pid_t found;
  do found = waitpid(thread, &status, __WALL);
  while (found < 0 && errno == EINTR);
  if (found < 0) return errno;
  if (!WIFSTOPPED(status)) return ESRCH;
  // PTRACE_EVENT_STOP reports the stop that was asked for, or a group-stop of the process. Any other stop precedes the delivery of a signal, which
  // the status contains.
  *number = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
  return 0;
}

ssize_t loading_leaks_registers(pid_t thread, int set, void *bytes, size_t size) {
  struct iovec room = {.iov_base = bytes, .iov_len = size};
  long note = set == LOADING_LEAKS_GENERAL_REGISTERS ? NT_PRSTATUS : NT_PRFPREG;
#ifdef __x86_64__
  // NT_X86_XSTATE includes the upper halves of the AVX registers; if the kernel doesn't have it, only the SSE registers are read.
  if (set == LOADING_LEAKS_VECTOR_REGISTERS) {
    if (ptrace(PTRACE_GETREGSET, thread, (void *)NT_X86_XSTATE, &room) == 0) return (ssize_t)room.iov_len;
    room.iov_len = size;
  }
#endif
  return ptrace(PTRACE_GETREGSET, thread, (void *)note, &room) == 0 ? (ssize_t)room.iov_len : -1;
}

pid_t loading_leaks_peer(int connection) {
  struct ucred credentials;
  socklen_t size = sizeof credentials;
  return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 ? credentials.pid : -1;
}

enum { MOST_SIGNALS = 16 };

static int forwarding = -1;
static struct {
  int number;
  struct sigaction action;
} before[MOST_SIGNALS];
static size_t before_count;
static sigset_t before_mask;

static void forward(int number) {
  int code = errno;
  unsigned char byte = (unsigned char)number;
  ssize_t written = write(forwarding, &byte, 1);
  (void)written;
  errno = code;
}

int loading_leaks_forward_signals(const int *signals, size_t count, int descriptor) {
  if (count > MOST_SIGNALS) return EINVAL;
  sigset_t wanted;
  sigemptyset(&wanted);
  pthread_sigmask(SIG_BLOCK, &wanted, &before_mask);
  forwarding = descriptor;
  struct sigaction action = {.sa_handler = forward, .sa_flags = SA_RESTART};
  sigfillset(&action.sa_mask);
  for (before_count = 0; before_count < count; before_count++) {
    before[before_count].number = signals[before_count];
    if (sigaction(signals[before_count], &action, &before[before_count].action) < 0) {
      int code = errno;
      loading_leaks_stop_forwarding();
      return code;
    }
    sigaddset(&wanted, signals[before_count]);
  }
  // The program may have been started with these signals blocked.
  return pthread_sigmask(SIG_UNBLOCK, &wanted, &before_mask);
}

void loading_leaks_stop_forwarding(void) {
  if (before_count > 0) pthread_sigmask(SIG_SETMASK, &before_mask, NULL);
  while (before_count > 0) {
    before_count--;
    sigaction(before[before_count].number, &before[before_count].action, NULL);
  }
}
