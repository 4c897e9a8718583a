#ifndef ULS_LOADING_PROXY_SCRIPT_H
#define ULS_LOADING_PROXY_SCRIPT_H

#include <stddef.h>

/// A child process that has loaded a proxy configuration script (PAC) and evaluates FindProxyForURL.
///
/// The script is untrusted. The child has limits of processor time and memory, and none of this process's files and sockets. The script can only
/// compute and ask the parent for addresses. The child is forked without exec, so that its memory is a copy of this process's: a script that breaks
/// out of the engine could read it, and could leak it through the names that it asks for.
typedef struct uls_script_engine uls_script_engine;

/// Whether this build has a JavaScript engine (the package trait PAC).
int uls_script_is_available(void);

/// For tests of a build without an engine: loads a library that contains one. Must be called before the other functions. Returns whether there is an
/// engine now.
int uls_script_use(const char *path);

enum {
  ULS_SCRIPT_OK = 0,
  /// The script couldn't be loaded, or has thrown an error; `message` or `answer` has the error's text.
  ULS_SCRIPT_SCRIPT_FAILED = 1,
  ULS_SCRIPT_TIMED_OUT = 2,
  /// The child process has ended, because it needed too much memory or processor time.
  ULS_SCRIPT_DIED = 3,
  /// There is no engine, or the child process couldn't be created.
  ULS_SCRIPT_UNAVAILABLE = 4,
};

/// Starts a child process and loads `script` in it. Returns NULL on failure, with the reason in `status` and `message`.
uls_script_engine *uls_script_start(const char *script, size_t length, size_t memory_limit, int timeout_ms, int *status, char *message, size_t capacity);

/// Calls FindProxyForURL in the child; one call at a time. After a status other than ULS_SCRIPT_OK and ULS_SCRIPT_SCRIPT_FAILED, only uls_script_stop
/// may be called.
int uls_script_ask(uls_script_engine *engine, const char *url, const char *host, int timeout_ms, char *answer, size_t capacity);

/// Kills the child process and frees the engine.
void uls_script_stop(uls_script_engine *engine);

#endif
