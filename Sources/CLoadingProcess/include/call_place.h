#ifndef ULS_PROCESS_CALL_PLACE_H
#define ULS_PROCESS_CALL_PLACE_H
#include <stdint.h>

/// The return addresses of the calling thread, the innermost first. Returns how many were written, `capacity` at most.
int uls_call_place(void **addresses, int capacity);

/// What an address is in: a file that the process has mapped, and where it begins; and the symbol, NULL where the file exports none there.
typedef struct {
  const char *file;
  uintptr_t base;
  const char *symbol;
} uls_code_place;

/// 0 if the address is in no file.
int uls_code_place_of(const void *address, uls_code_place *place);

#endif
