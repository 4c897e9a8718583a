#ifndef LOADING_LEAKS_RECORD_H
#define LOADING_LEAKS_RECORD_H

#include "CLoadingLeaks.h"

#include <stddef.h>
#include <stdint.h>

// The record of the program's heap blocks. All functions work without locks and without allocation, because they run inside malloc: in any thread,
// before constructors, in signal handlers and after fork.

/// The record that the tool reads, with the tables' addresses.
extern loading_leaks_record loading_leaks_blocks;

/// Records a block of `size` requested bytes; `caller` is the return address of the allocation function. Does nothing if `block` is NULL.
void loading_leaks_add(void *block, size_t size, void *caller);

/// Removes a block's entry and returns it. Must be called before the block is freed, because afterwards another thread may get a block at its
/// address.
uint32_t loading_leaks_remove(void *block);

/// Writes back an entry that loading_leaks_remove returned, when realloc has failed and the block still exists.
void loading_leaks_restore(void *block, uint32_t entry);

/// Stops recording: blocks that are allocated from now on get no entry.
void loading_leaks_stop_recording(void);

/// Records whole call stacks from now on, instead of only the callers.
void loading_leaks_record_stacks(void);

#endif
