#ifndef ULS_DESKTOP_LIBRARY_SYMBOLS_H
#define ULS_DESKTOP_LIBRARY_SYMBOLS_H

#include <dlfcn.h>
#include <stddef.h>

// Puts the address of a loaded library's function into the pointer at `place`; whether there is one.
static inline int look_up_symbol(void *library, void *place, const char *name) {
  return (*(void **)place = dlsym(library, name)) != NULL;
}

#endif
