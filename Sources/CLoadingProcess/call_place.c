#define _GNU_SOURCE
#include "call_place.h"

#include <dlfcn.h>
#include <execinfo.h>

int uls_call_place(void **addresses, int capacity) { return backtrace(addresses, capacity); }

int uls_code_place_of(const void *address, uls_code_place *place) {
  Dl_info found;
  if (dladdr(address, &found) == 0) return 0;
  place->file = found.dli_fname;
  place->base = (uintptr_t)found.dli_fbase;
  place->symbol = found.dli_sname;
  return 1;
}
