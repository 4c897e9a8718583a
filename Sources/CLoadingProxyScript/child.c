// The child process that runs a proxy configuration script (PAC) with the JavaScript engine Duktape.

#define _GNU_SOURCE

#ifdef LOADING_PAC

#if !__has_include(<duktape.h>)
#error "the package trait PAC needs Duktape: install duktape-dev (Debian, Ubuntu), or leave the trait out"
#endif

#include <duktape.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "CLoadingProxyScript.h"
#include "messages.h"
#include "pac_functions.h"

struct budget {
  size_t used, limit;
};

static int child_socket;
static struct budget memory;

// The size of the header before each block, in which the block's size is kept for the memory budget.
enum { header = 16 };

static void *script_alloc(void *udata, duk_size_t size) {
  if (size > memory.limit - memory.used) return NULL;
  char *block = malloc(size + header);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  memory.used += size;
  return block + header;
}

static void script_free(void *udata, void *pointer) {
  if (!pointer) return;
  duk_size_t size;
  memcpy(&size, (char *)pointer - header, sizeof size);
  memory.used -= size;
  free((char *)pointer - header);
}

static void *script_realloc(void *udata, void *pointer, duk_size_t size) {
  if (!pointer) return script_alloc(udata, size);
  if (size == 0) {
    script_free(udata, pointer);
    return NULL;
  }
  duk_size_t old;
  memcpy(&old, (char *)pointer - header, sizeof old);
  if (size > old && size - old > memory.limit - memory.used) return NULL;
  char *block = realloc((char *)pointer - header, size + header);
  if (!block) return NULL;
  memcpy(block, &size, sizeof size);
  memory.used = memory.used - old + size;
  return block + header;
}

static void script_fatal(void *udata, const char *message) { _exit(1); }

// Asks the parent process, which may use the network, for the address of a name ('D') or of this machine ('M').
static duk_ret_t ask_for_address(duk_context *js, char kind, const char *name) {
  char answer[128];
  char answered;
  if (uls_script_send(child_socket, kind, name, strlen(name))) _exit(0);
  if (uls_script_receive(child_socket, &answered, answer, sizeof answer, -1) || answered != 'A') _exit(0);
  if (answer[0]) duk_push_string(js, answer); else duk_push_null(js);
  return 1;
}

static duk_ret_t js_resolve(duk_context *js) { return ask_for_address(js, 'D', duk_safe_to_string(js, 0)); }
static duk_ret_t js_own_address(duk_context *js) { return ask_for_address(js, 'M', ""); }

static void reply(duk_context *js, char kind) {
  duk_size_t length;
  const char *text = duk_safe_to_lstring(js, -1, &length);
  if (length > ULS_SCRIPT_TEXT_LIMIT) length = ULS_SCRIPT_TEXT_LIMIT;
  if (uls_script_send(child_socket, kind, text, length)) _exit(0);
  duk_pop(js);
}

// Limits the process to about `seconds` more seconds of processor time, after which the kernel ends it with SIGXCPU.
static void limit_time(int seconds) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  struct rlimit limit;
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + seconds);
  setrlimit(RLIMIT_CPU, &limit);
}

void uls_script_run_child(int socket, size_t memory_limit, const char *script, size_t length, int seconds) {
  child_socket = socket;
  memory = (struct budget){0, memory_limit};
  signal(SIGXCPU, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Closes all descriptors except the socket to the parent, so that the script can't reach the parent's files and sockets and the child doesn't keep
  // them open. The memory is a copy of the parent's, as after any fork; JavaScript has no access to it unless a script exploits a bug of the engine.
  if (dup2(child_socket, 3) < 0) _exit(1);
  child_socket = 3;
  for (int fd = 0; fd < 3; fd++) close(fd);
#ifdef SYS_close_range
  if (syscall(SYS_close_range, 4u, ~0u, 0u) != 0)
#endif
    for (int fd = 4; fd < 65536; fd++) close(fd);
  struct rlimit no_files = {.rlim_cur = 0, .rlim_max = 0};
  setrlimit(RLIMIT_CORE, &no_files);
  limit_time(seconds);

  duk_context *js = duk_create_heap(script_alloc, script_realloc, script_free, NULL, script_fatal);
  if (!js) _exit(1);
  duk_push_c_function(js, js_resolve, 1);
  duk_put_global_string(js, "dnsResolve");
  duk_push_c_function(js, js_own_address, 0);
  duk_put_global_string(js, "myIpAddress");
  if (duk_peval_string(js, uls_script_functions) || (duk_pop(js), duk_peval_lstring(js, script, length))) {
    reply(js, 'E');
    _exit(0);
  }
  duk_pop(js);
  duk_push_string(js, "");
  reply(js, 'R');

  static char question[ULS_SCRIPT_TEXT_LIMIT];
  char kind;
  while (uls_script_receive(child_socket, &kind, question, sizeof question, -1) == ULS_SCRIPT_OK && kind == 'U') {
    limit_time(seconds);
    duk_get_global_string(js, "FindProxyForURL");
    duk_push_string(js, question);
    duk_push_string(js, question + strlen(question) + 1);
    reply(js, duk_pcall(js, 2) ? 'E' : 'R');
  }
  _exit(0);
}

#endif
