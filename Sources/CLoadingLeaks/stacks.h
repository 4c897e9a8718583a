#ifndef LOADING_LEAKS_STACKS_H
#define LOADING_LEAKS_STACKS_H

#include <stddef.h>
#include <stdint.h>

/// Makes `loading_leaks_walk` ready; it loads the unwinder, which allocates.
void loading_leaks_prepare_walk(void);

/// Writes the return addresses of the calling thread's stack, the innermost first, this library's own included. Returns how many; 0 if the
/// unwinder isn't there, or is at work in this thread already.
size_t loading_leaks_walk(uintptr_t *frames, size_t room);

#endif
