#ifndef ULS_PROCESS_LOCAL_SOCKET_H
#define ULS_PROCESS_LOCAL_SOCKET_H
#include <sys/types.h>

/// A Unix-domain stream socket that doesn't block and is closed in programs that the process starts; -1 with errno.
int uls_local_socket(void);

/// Accepts a connection; its descriptor has the same properties. -1 with errno.
int uls_local_accept(int listener);

/// The process at the other end, and its user, at the time of connecting (SO_PEERCRED). 0, or -1 with errno.
int uls_local_peer(int socket, uid_t *user, pid_t *process);

#endif
