#include "demangling.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

// Exported by the Swift standard library, which has no C header that declares it.
extern char *swift_demangle(const char *name, size_t length, char *output, size_t *size, uint32_t flags);

char *uls_demangled(const char *name) { return swift_demangle(name, strlen(name), NULL, NULL, 0); }
