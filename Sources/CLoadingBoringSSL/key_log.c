#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/uio.h>

#include "boringssl.h"

// The index at which a context stores the descriptor of its file plus 1, as 0 means that it has no file.
static int file_index = -1;
static pthread_once_t file_index_once = PTHREAD_ONCE_INIT;

static void make_file_index(void) { file_index = SSL_CTX_get_ex_new_index(0, NULL, NULL, NULL, NULL); }

static void write_line(const SSL *ssl, const char *line) {
  int descriptor = (int)(intptr_t)SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), file_index) - 1;
  if (descriptor < 0) return;
  // The line is written by one system call, so that lines of several connections and processes don't mix.
  struct iovec parts[2] = {{(void *)line, strlen(line)}, {"\n", 1}};
  while (writev(descriptor, parts, 2) < 0 && errno == EINTR) {}
}

void uls_tls_context_log_keys(void *ctx, int descriptor) {
  pthread_once(&file_index_once, make_file_index);
  if (file_index < 0 || !SSL_CTX_set_ex_data(ctx, file_index, (void *)((intptr_t)descriptor + 1))) return;
  SSL_CTX_set_keylog_callback(ctx, write_line);
}
