#ifndef LOADING_LEAKS_STACKS_H
#define LOADING_LEAKS_STACKS_H

#include <stddef.h>
#include <stdint.h>

/// Loads the unwinder (libgcc_s), which allocates memory. Before this call loading_leaks_walk returns 0.
void loading_leaks_prepare_walk(void);

/// Writes the return addresses of the calling thread's stack, the innermost first, including those in this library. Returns how many; 0 if the
/// unwinder isn't loaded, or this thread is already walking its stack.
size_t loading_leaks_walk(uintptr_t *frames, size_t room);

#endif
