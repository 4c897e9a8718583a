#define _GNU_SOURCE
#include "local_socket.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int uls_local_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int uls_local_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

// Calls `use` (bind or connect) with an abstract name: its sun_path begins with a zero byte, and its length comes from the address length alone.
static int named(const char *name, int (*use)(int, const struct sockaddr *, socklen_t)) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(name);
  if (length == 0 || length >= sizeof address.sun_path) {
    errno = EINVAL;
    return -1;
  }
  memcpy(address.sun_path + 1, name, length);
  int made = uls_local_socket();
  if (made < 0) return -1;
  if (use(made, (const struct sockaddr *)&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length)) == 0) return made;
  int failure = errno;
  close(made);
  errno = failure;
  return -1;
}

static int bind_and_listen(int made, const struct sockaddr *address, socklen_t length) {
  return bind(made, address, length) != 0 ? -1 : listen(made, 1);
}

int uls_abstract_listener(const char *name) { return named(name, bind_and_listen); }

int uls_abstract_connection(const char *name) { return named(name, connect); }

int uls_local_peer(int socket, uid_t *user, pid_t *process) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}
