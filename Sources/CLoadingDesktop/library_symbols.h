#ifndef ULS_DESKTOP_LIBRARY_SYMBOLS_H
#define ULS_DESKTOP_LIBRARY_SYMBOLS_H

#include <dlfcn.h>
#include <stddef.h>

// Writes the address of a loaded library's function to the pointer at `place`. Returns whether the library has the function.
static inline int look_up_symbol(void *library, void *place, const char *name) {
  return (*(void **)place = dlsym(library, name)) != NULL;
}

#endif
