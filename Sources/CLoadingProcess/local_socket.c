#define _GNU_SOURCE
#include "local_socket.h"

#include <stddef.h>
#include <sys/socket.h>

int uls_local_socket(void) { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }

int uls_local_accept(int listener) { return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK); }

int uls_local_peer(int socket, uid_t *user, pid_t *process) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return -1;
  *user = peer.uid;
  *process = peer.pid;
  return 0;
}
