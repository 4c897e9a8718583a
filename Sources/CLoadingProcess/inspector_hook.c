#include "inspector_hook.h"

// URLLoadingInspector, a product that depends on this module, defines both functions. They are weak references: NULL in a program that isn't linked
// with the product.
extern void url_loading_inspect(const char *value) __attribute__((weak));

extern void url_loading_inspect_for(int connection) __attribute__((weak));

int uls_inspect_for(int connection) {
  if (url_loading_inspect_for == 0) return 0;
  url_loading_inspect_for(connection);
  return 1;
}

int uls_inspect(const char *value) {
  if (url_loading_inspect == 0) return 0;
  url_loading_inspect(value);
  return 1;
}
