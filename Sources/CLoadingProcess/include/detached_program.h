#ifndef ULS_PROCESS_DETACHED_PROGRAM_H
#define ULS_PROCESS_DETACHED_PROGRAM_H

/// Starts a program that outlives this process. It gets a session of its own without a terminal, `folder` as its working directory, /dev/null as
/// standard streams, no other descriptors, and no blocked or ignored signals. It isn't a child of this process, so there is no process to wait for.
///
/// `arguments` and `environment` end with NULL. `mask` is the program's umask; with -1 it has this process's. Returns 0 once the program runs, or the error number of the system call that failed.
int uls_start_detached(const char *path, const char *folder, char *const arguments[], char *const environment[], int mask);

#endif
