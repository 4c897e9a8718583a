#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include "CLoadingBoringSSL.h"

extern void CNIOBoringSSL_SSL_CTX_set_keylog_callback(void *ctx, void (*callback)(const void *ssl, const char *line));

int uls_tls_process_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

// The same for every context of the process.
static int key_log = -1;

static void write_line(const void *ssl, const char *line) {
  (void)ssl;
  int descriptor = __atomic_load_n(&key_log, __ATOMIC_RELAXED);
  if (descriptor < 0) return;
  // One call: lines of several connections and processes don't mix.
  struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
  while (writev(descriptor, parts, 2) < 0 && errno == EINTR) {}
}

void uls_tls_context_log_keys(void *ctx, int descriptor) {
  __atomic_store_n(&key_log, descriptor, __ATOMIC_RELAXED);
  CNIOBoringSSL_SSL_CTX_set_keylog_callback(ctx, write_line);
}
