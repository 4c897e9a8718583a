#define _GNU_SOURCE
#include "pipe_transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

int uls_pipe_open(int ends[2], size_t capacity) {
  if (pipe2(ends, O_CLOEXEC) != 0) return -1;
  if (fcntl(ends[1], F_SETPIPE_SZ, (int)capacity) >= (int)capacity) return 0;
  int code = errno;
  close(ends[0]);
  close(ends[1]);
  errno = code;
  return -1;
}

int uls_socket_waiting(int socket) {
  int waiting = 0;
  return ioctl(socket, FIONREAD, &waiting) == 0 ? waiting : -1;
}

ssize_t uls_pipe_fill(int socket, int pipe, size_t count) {
  return splice(socket, NULL, pipe, NULL, count, SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
}

// Replaces splice for file systems that don't support it as a target.
static ssize_t copy(int pipe, int file, size_t count) {
  char buffer[65536];
  ssize_t taken = read(pipe, buffer, count < sizeof buffer ? count : sizeof buffer);
  for (ssize_t done = 0; done < taken;) {
    ssize_t written = write(file, buffer + done, (size_t)(taken - done));
    if (written >= 0) done += written;
    else if (errno != EINTR) return -1;
  }
  return taken;
}

ssize_t uls_pipe_drain(int pipe, int file, size_t count) {
  ssize_t moved = splice(pipe, NULL, file, NULL, count, SPLICE_F_MOVE);
  return moved < 0 && (errno == EINVAL || errno == ENOSYS) ? copy(pipe, file, count) : moved;
}
