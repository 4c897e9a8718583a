#define _GNU_SOURCE
#include "CLoadingProxyScript.h"

#ifndef LOADING_PAC

#include <dlfcn.h>
#include <stdatomic.h>

// The functions of an engine in a separate library, which tests of a build without an engine load by uls_script_use.
struct functions {
  uls_script_engine *(*start)(const char *, size_t, size_t, int, int *, char *, size_t);
  int (*ask)(uls_script_engine *, const char *, const char *, int, char *, size_t);
  void (*stop)(uls_script_engine *);
};

static struct functions brought;
static _Atomic int is_brought;

int uls_script_use(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
  *(void **)&brought.start = dlsym(library, "uls_script_start");
  *(void **)&brought.ask = dlsym(library, "uls_script_ask");
  *(void **)&brought.stop = dlsym(library, "uls_script_stop");
  is_brought = brought.start && brought.ask && brought.stop;
  return is_brought;
}

int uls_script_is_available(void) { return is_brought; }
uls_script_engine *uls_script_start(
    const char *script, size_t length, size_t memory_limit, int timeout_ms, int *status, char *message, size_t capacity) {
  if (is_brought) return brought.start(script, length, memory_limit, timeout_ms, status, message, capacity);
  *status = ULS_SCRIPT_UNAVAILABLE;
  return NULL;
}
int uls_script_ask(uls_script_engine *engine, const char *url, const char *host, int timeout_ms, char *answer, size_t capacity) {
  return is_brought ? brought.ask(engine, url, host, timeout_ms, answer, capacity) : ULS_SCRIPT_UNAVAILABLE;
}
void uls_script_stop(uls_script_engine *engine) {
  if (is_brought) brought.stop(engine);
}

#else

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "messages.h"

struct uls_script_engine {
  pid_t child;
  int socket;
};

int uls_script_is_available(void) { return 1; }
int uls_script_use(const char *path) { return 1; }

uls_script_engine *uls_script_start(
    const char *script, size_t length, size_t memory_limit, int timeout_ms, int *status, char *message, size_t capacity) {
  *status = ULS_SCRIPT_UNAVAILABLE;
  message[0] = 0;
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets)) return NULL;
  uls_script_engine *engine = malloc(sizeof *engine);
  if (!engine) {
    close(sockets[0]);
    close(sockets[1]);
    return NULL;
  }
  engine->socket = sockets[0];
  engine->child = fork();
  if (engine->child == 0) {
    uls_script_run_child(sockets[1], memory_limit, script, length, timeout_ms / 1000 + 1);
  }
  close(sockets[1]);
  if (engine->child > 0) {
    *status = uls_script_await_answer(engine->socket, timeout_ms, message, capacity);
    if (*status == ULS_SCRIPT_OK) return engine;
  }
  uls_script_stop(engine);
  return NULL;
}

int uls_script_ask(uls_script_engine *engine, const char *url, const char *host, int timeout_ms, char *answer, size_t capacity) {
  size_t first = strlen(url) + 1, second = strlen(host);
  answer[0] = 0;
  if (first + second >= ULS_SCRIPT_TEXT_LIMIT) return ULS_SCRIPT_SCRIPT_FAILED;
  char *question = malloc(first + second);
  if (!question) return ULS_SCRIPT_UNAVAILABLE;
  memcpy(question, url, first);
  memcpy(question + first, host, second);
  int failed = uls_script_send(engine->socket, 'U', question, first + second);
  free(question);
  return failed ? ULS_SCRIPT_DIED : uls_script_await_answer(engine->socket, timeout_ms, answer, capacity);
}

void uls_script_stop(uls_script_engine *engine) {
  close(engine->socket);
  if (engine->child > 0) {
    kill(engine->child, SIGKILL);
    while (waitpid(engine->child, NULL, 0) < 0 && errno == EINTR) {}
  }
  free(engine);
}

#endif
