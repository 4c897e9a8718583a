#ifndef ULS_PROCESS_CALL_PLACE_H
#define ULS_PROCESS_CALL_PLACE_H
#include <stdint.h>

/// Writes the return addresses of the calling thread's stack, the innermost first. Returns how many were written, `capacity` at most.
int uls_call_place(void **addresses, int capacity);

/// The code that an address belongs to: the path of the mapped executable or library, the address at which it is mapped, and the exported symbol that
/// contains the address; `symbol` is NULL if the file exports none there.
typedef struct {
  const char *file;
  uintptr_t base;
  const char *symbol;
} uls_code_place;

/// Looks up the code at an address (dladdr(3)). Returns 1 and fills in `place`, or 0 if no mapped file contains the address.
int uls_code_place_of(const void *address, uls_code_place *place);

#endif
