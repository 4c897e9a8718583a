#define _GNU_SOURCE
#include "report_signal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int event = -1;
static pid_t owner;
static _Atomic int32_t last_value;

int uls_report_signal(void) { return SIGRTMIN + 9; }

// A forked child inherits the handler and the event descriptor. The check of `owner` ignores signals that are sent to the child, which would
// otherwise wake the parent.
static void note(int number, siginfo_t *info, void *context) {
  (void)number;
  (void)context;
  int before = errno;
  if (getpid() == owner) {
    uint64_t one = 1;
    atomic_store(&last_value, info->si_code == SI_QUEUE ? info->si_value.sival_int : 0);
    ssize_t written = write(event, &one, sizeof one);
    (void)written;
  }
  errno = before;
}

int uls_report_signal_begin(void) {
  struct sigaction present;
  if (sigaction(uls_report_signal(), NULL, &present) != 0) return -1;
  if ((present.sa_flags & SA_SIGINFO) || present.sa_handler != SIG_DFL || event != -1) {
    errno = EBUSY;
    return -1;
  }
  int made = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (made < 0) return -1;
  owner = getpid();
  event = made;
  struct sigaction wanted = {.sa_sigaction = note, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigemptyset(&wanted.sa_mask);
  if (sigaction(uls_report_signal(), &wanted, NULL) == 0) return made;
  int failure = errno;
  event = -1;
  close(made);
  errno = failure;
  return -1;
}

int32_t uls_report_signal_value(void) { return atomic_load(&last_value); }

int uls_report_signal_send(pid_t process, int32_t value) {
  return sigqueue(process, uls_report_signal(), (union sigval){.sival_int = value});
}
