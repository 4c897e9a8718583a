#ifndef ULS_PROCESS_TOOL_OUTPUT_H
#define ULS_PROCESS_TOOL_OUTPUT_H

#include <stddef.h>

enum {
  /// The program wasn't found, or it ended with an error.
  ULS_TOOL_FAILED = -1,
  /// The program didn't finish within the timeout and was killed.
  ULS_TOOL_TIMED_OUT = -2,
};

/// Runs a program that is searched for in PATH, with /dev/null as standard input, and returns what it writes to standard output. Blocks until it
/// ends.
///
/// `arguments` and `variables` end with NULL; `variables` ("name=value") are put before this process's environment. Returns the number of bytes in
/// `output`, `capacity` at most (more output is dropped), or one of the codes above.
long uls_tool_output(const char *const *arguments, const char *const *variables, char *output, size_t capacity, int timeout_ms);

#endif
