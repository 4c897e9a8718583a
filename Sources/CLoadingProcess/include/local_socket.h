#ifndef ULS_PROCESS_LOCAL_SOCKET_H
#define ULS_PROCESS_LOCAL_SOCKET_H
#include <sys/types.h>

/// A Unix-domain stream socket that doesn't block and is closed in programs that the process starts; -1 with errno.
int uls_local_socket(void);

/// Accepts a connection; its descriptor has the same properties. -1 with errno.
int uls_local_accept(int listener);

/// A socket with these properties that listens, for one connection at a time, under a name that has no file (unix(7), abstract); and one that
/// is connected to such a name. -1 with errno.
int uls_abstract_listener(const char *name);
int uls_abstract_connection(const char *name);

/// The process at the other end, and its user, at the time of connecting (SO_PEERCRED). 0, or -1 with errno.
int uls_local_peer(int socket, uid_t *user, pid_t *process);

#endif
