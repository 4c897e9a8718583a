#ifndef LOADING_LEAKS_PLACES_H
#define LOADING_LEAKS_PLACES_H

#include <stdint.h>

/// The number of the place that asks for a block: `caller`, or with stacks the whole stack. 1 where there is no room for another place.
uint32_t loading_leaks_place(void *caller);

#endif
