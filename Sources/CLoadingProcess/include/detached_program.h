#ifndef ULS_PROCESS_DETACHED_PROGRAM_H
#define ULS_PROCESS_DETACHED_PROGRAM_H

/// Starts a program that outlives this process: a session of its own without a terminal, `folder` as its working folder, standard streams
/// on /dev/null, no other descriptor, no signal blocked or ignored. It isn't this process's child: there is nothing to wait for.
///
/// `arguments` and `environment` end with NULL. Returns 0 when the program runs, or the error number of what failed.
int uls_start_detached(const char *path, const char *folder, char *const arguments[], char *const environment[]);

#endif
