#include "retain_count.h"

// Exported by the Swift runtime, which has no C header that declares it.
extern size_t swift_retainCount(void *object);

size_t uls_retain_count(const void *object) { return swift_retainCount((void *)object); }
