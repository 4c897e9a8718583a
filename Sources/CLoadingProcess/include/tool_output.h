#ifndef ULS_PROCESS_TOOL_OUTPUT_H
#define ULS_PROCESS_TOOL_OUTPUT_H

#include <stddef.h>

enum {
  /// The program isn't there, or has failed.
  ULS_TOOL_FAILED = -1,
  /// It took too long and was ended.
  ULS_TOOL_TIMED_OUT = -2,
};

/// Runs a program that is looked for in PATH, without input, and reads what it prints. Blocks.
///
/// `arguments` and `variables` end with NULL; the variables (“name=value”) precede this process's own. Returns the bytes of output,
/// at most `capacity`, or why there are none.
long uls_tool_output(const char *const *arguments, const char *const *variables, char *output, size_t capacity, int timeout_ms);

#endif
