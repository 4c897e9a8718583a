#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "CLoadingBoringSSL.h"

extern void CNIOBoringSSL_SSL_CTX_set_keylog_callback(void *ctx, void (*callback)(const void *ssl, const char *line));
extern int CNIOBoringSSL_SSL_CTX_get_ex_new_index(long argl, void *argp, void *unused, void *dup, void *free_func);
extern int CNIOBoringSSL_SSL_CTX_set_ex_data(void *ctx, int index, void *data);
extern void *CNIOBoringSSL_SSL_CTX_get_ex_data(const void *ctx, int index);
extern void *CNIOBoringSSL_SSL_get_SSL_CTX(const void *ssl);

// Where a context keeps the descriptor of its file, and one more: a context without a file has 0 there.
static int file_index = -1;
static pthread_once_t file_index_once = PTHREAD_ONCE_INIT;

static void make_file_index(void) { file_index = CNIOBoringSSL_SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static void write_line(const void *ssl, const char *line) {
  int descriptor = (int)(intptr_t)CNIOBoringSSL_SSL_CTX_get_ex_data(CNIOBoringSSL_SSL_get_SSL_CTX(ssl), file_index) - 1;
  if (descriptor < 0) return;
  // One call: lines of several connections and processes don't mix.
  struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
  while (writev(descriptor, parts, 2) < 0 && errno == EINTR) {}
}

void uls_tls_context_log_keys(void *ctx, int descriptor) {
  pthread_once(&file_index_once, make_file_index);
  if (file_index < 0 || !CNIOBoringSSL_SSL_CTX_set_ex_data(ctx, file_index, (void *)((intptr_t)descriptor + 1))) return;
  CNIOBoringSSL_SSL_CTX_set_keylog_callback(ctx, write_line);
}
