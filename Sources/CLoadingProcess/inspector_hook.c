#include "inspector_hook.h"

// Defined by URLLoadingInspector, a library above this one that a program may leave out: the linker then leaves this NULL.
extern void url_loading_inspect(const char *value) __attribute__((weak));

int uls_inspect(const char *value) {
  if (url_loading_inspect == 0) return 0;
  url_loading_inspect(value);
  return 1;
}
