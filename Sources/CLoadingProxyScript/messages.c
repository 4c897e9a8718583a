#define _GNU_SOURCE

#ifdef LOADING_PAC

#include "messages.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "CLoadingProxyScript.h"

static int send_all(int fd, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t sent = send(fd, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    next += sent;
    count -= (size_t)sent;
  }
  return 0;
}

int uls_script_send(int fd, char kind, const char *text, size_t length) {
  char head[5] = {kind};
  uint32_t size = (uint32_t)length;
  memcpy(head + 1, &size, 4);
  return send_all(fd, head, 5) || send_all(fd, text, length) ? -1 : 0;
}

int64_t uls_script_now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads exactly `count` bytes before `deadline` (negative: no deadline). Returns ULS_SCRIPT_OK, or the reason of the failure.
static int receive_all(int fd, void *bytes, size_t count, int64_t deadline) {
  char *next = bytes;
  while (count > 0) {
    if (deadline >= 0) {
      int64_t left = deadline - uls_script_now_ms();
      struct pollfd waiting = {.fd = fd, .events = POLLIN};
      int ready = left <= 0 ? 0 : poll(&waiting, 1, (int)left);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return ULS_SCRIPT_TIMED_OUT;
    }
    ssize_t received = recv(fd, next, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return ULS_SCRIPT_DIED;
    next += received;
    count -= (size_t)received;
  }
  return ULS_SCRIPT_OK;
}

int uls_script_receive(int fd, char *kind, char *text, size_t capacity, int64_t deadline) {
  char head[5];
  int status = receive_all(fd, head, 5, deadline);
  if (status) return status;
  uint32_t size;
  memcpy(&size, head + 1, 4);
  *kind = head[0];
  size_t kept = size < capacity - 1 ? size : capacity - 1;
  status = receive_all(fd, text, kept, deadline);
  if (status) return status;
  text[kept] = 0;
  for (size_t rest = size - kept; rest > 0;) {
    char dropped[256];
    size_t part = rest < sizeof dropped ? rest : sizeof dropped;
    status = receive_all(fd, dropped, part, deadline);
    if (status) return status;
    rest -= part;
  }
  return ULS_SCRIPT_OK;
}

#endif
