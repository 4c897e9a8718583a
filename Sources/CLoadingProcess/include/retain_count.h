#ifndef ULS_PROCESS_RETAIN_COUNT_H
#define ULS_PROCESS_RETAIN_COUNT_H

#include <stddef.h>

/// Returns the number of strong references to a Swift object, from the Swift runtime. It is called from C because the declaration in Swift's own
/// modules differs between versions, and a second Swift declaration of the same symbol crashes the compiler.
size_t uls_retain_count(const void *object);

#endif
