#ifndef ULS_LOADING_PROXY_SCRIPT_H
#define ULS_LOADING_PROXY_SCRIPT_H

#include <stddef.h>

/// One process that has read a proxy configuration script (PAC) and answers questions about it.
///
/// The script is untrusted: it runs in a child process that can't outlive its limits of time and memory, and has none of this process's files
/// and sockets open. As JavaScript it can do nothing but compute and ask for addresses. The child is forked without an exec, so that its memory
/// is a copy of this process's: a script that breaks out of the engine could read that, and tell of it by the names that it asks for.
typedef struct uls_script_engine uls_script_engine;

/// Whether this build has an engine for JavaScript.
int uls_script_is_available(void);

/// In a build without an engine: uses the one in a library that was built apart. For tests; before anything else here is called.
/// Returns whether there is an engine now.
int uls_script_use(const char *path);

enum {
  ULS_SCRIPT_OK = 0,
  /// The script can't be run or has failed; the answer is its message.
  ULS_SCRIPT_SCRIPT_FAILED = 1,
  ULS_SCRIPT_TIMED_OUT = 2,
  /// The process has ended: it needed too much memory or time.
  ULS_SCRIPT_DIED = 3,
  /// No process could be made.
  ULS_SCRIPT_UNAVAILABLE = 4,
};

/// Starts a process and has it read `script`; NULL if it doesn't, with the reason in `status` and `message`.
uls_script_engine *uls_script_start(const char *script, size_t length, size_t memory_limit, int timeout_ms, int *status, char *message, size_t capacity);

/// Calls FindProxyForURL. One call at a time. After anything but ULS_SCRIPT_OK and ULS_SCRIPT_SCRIPT_FAILED only uls_script_stop may follow.
int uls_script_ask(uls_script_engine *engine, const char *url, const char *host, int timeout_ms, char *answer, size_t capacity);

/// Ends the process.
void uls_script_stop(uls_script_engine *engine);

#endif
