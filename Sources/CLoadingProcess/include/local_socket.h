#ifndef ULS_PROCESS_LOCAL_SOCKET_H
#define ULS_PROCESS_LOCAL_SOCKET_H
#include <sys/types.h>

/// Creates a Unix-domain stream socket that is non-blocking and close-on-exec. Returns -1 with errno on failure.
int uls_local_socket(void);

/// Accepts a connection as a non-blocking, close-on-exec socket. Returns -1 with errno on failure.
int uls_local_accept(int listener);

/// The first function listens under a name in the abstract namespace (unix(7)), which has no file, with a backlog of one connection. The second
/// connects to such a name. Both sockets are non-blocking and close-on-exec. Both functions return -1 with errno on failure.
int uls_abstract_listener(const char *name);
int uls_abstract_connection(const char *name);

/// Writes the user and the process ID of the peer, as they were when the connection was made (SO_PEERCRED). Returns 0, or -1 with errno.
int uls_local_peer(int socket, uid_t *user, pid_t *process);

#endif
