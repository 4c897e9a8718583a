#ifndef LOADING_LEAKS_PLACES_H
#define LOADING_LEAKS_PLACES_H

#include <stdint.h>

/// Returns the number of the place for an allocation: of `caller` alone, or of the thread's call stack if stacks are recorded. 1 if there is no
/// memory for another place.
uint32_t loading_leaks_place(void *caller);

#endif
