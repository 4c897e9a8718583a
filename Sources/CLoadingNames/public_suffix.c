#include "public_suffix.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

// PSL_TYPE_ANY: suffixes of registries (ICANN) and of private owners both count.
static const int any_type = 3;

static struct {
  const void *list;
  int (*is_public_suffix)(const void *, const char *, int);
} lib;

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void look_up(void) {
  void *psl = dlopen("libpsl.so.5", RTLD_NOW | RTLD_LOCAL);
  if (!psl) return;
  // psl_latest loads the newer of the system's list file and the list that is built into the library.
  void *(*latest)(const char *) = (void *(*)(const char *))dlsym(psl, "psl_latest");
  const void *(*builtin)(void) = (const void *(*)(void))dlsym(psl, "psl_builtin");
  lib.is_public_suffix = (int (*)(const void *, const char *, int))dlsym(psl, "psl_is_public_suffix2");
  if (latest) lib.list = latest(NULL);
  if (!lib.list && builtin) lib.list = builtin();
}

int uls_public_suffixes_available(void) {
  pthread_once(&once, look_up);
  return lib.list != NULL && lib.is_public_suffix != NULL;
}

int uls_is_public_suffix(const char *domain) {
  if (!uls_public_suffixes_available()) return 0;
  return lib.is_public_suffix(lib.list, domain, any_type) != 0;
}
