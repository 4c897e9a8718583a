#include "retain_count.h"

// Of the runtime, which has no header for it.
extern size_t swift_retainCount(void *object);

size_t uls_retain_count(const void *object) { return swift_retainCount((void *)object); }
