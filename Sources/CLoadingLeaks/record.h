#ifndef LOADING_LEAKS_RECORD_H
#define LOADING_LEAKS_RECORD_H

#include "CLoadingLeaks.h"

#include <stddef.h>
#include <stdint.h>

// Recording of blocks. Everything is without locks and without allocation: it runs inside malloc, in any thread, before constructors, in
// signal handlers and after fork.

/// The process's record.
extern loading_leaks_record loading_leaks_blocks;

/// Records a block of `size` bytes that `caller` has asked for. `block` may be NULL.
void loading_leaks_add(void *block, size_t size, void *caller);

/// Takes a block's record away. Before it is freed: afterwards its address may be another thread's block. Returns what was recorded.
uint32_t loading_leaks_remove(void *block);

/// Takes back a removal.
void loading_leaks_restore(void *block, uint32_t entry);

/// From now on no block is recorded.
void loading_leaks_stop_recording(void);

/// From now on whole stacks are recorded.
void loading_leaks_record_stacks(void);

#endif
