#ifndef ULS_PROCESS_RETAIN_COUNT_H
#define ULS_PROCESS_RETAIN_COUNT_H

#include <stddef.h>

/// The runtime's count of strong references to an object of Swift's. In C: Swift's own declaration of the runtime's function differs from version to
/// version, and another one beside it ends the compiler.
size_t uls_retain_count(const void *object);

#endif
