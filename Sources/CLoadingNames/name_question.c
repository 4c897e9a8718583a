#define _GNU_SOURCE
#include "name_question.h"

#include <limits.h>

#ifdef __GLIBC__
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <string.h>

int uls_name_question(const char *name, int type, unsigned char *answer, size_t capacity) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (capacity > INT_MAX || res_ninit(&state)) return -1;
  state.retrans = 1;
  state.retry = 1;
  state.options |= RES_USE_EDNS0;
  int size = res_nquery(&state, name, ns_c_in, type, answer, (int)capacity);
  int failure = state.res_h_errno;
  res_nclose(&state);
  if (size > (int)capacity) return -1;
  if (size > 0) return size;
  return failure == HOST_NOT_FOUND || failure == NO_DATA ? 0 : -1;
}

#else

int uls_name_question(const char *name, int type, unsigned char *answer, size_t capacity) {
  (void)name, (void)type, (void)answer, (void)capacity;
  return -1;
}

#endif
