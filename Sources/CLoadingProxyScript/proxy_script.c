#define _GNU_SOURCE
#include "CLoadingProxyScript.h"

#ifndef LOADING_PAC

#include <dlfcn.h>
#include <stdatomic.h>

// An engine that was built apart, for tests of a build without one.
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

#include <arpa/inet.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "messages.h"

enum { look_up_limit = 64, look_up_patience_ms = 10000 };

struct uls_script_engine {
  pid_t child;
  int socket;
};

int uls_script_is_available(void) { return 1; }
int uls_script_use(const char *path) { return 1; }

static void address_text(const struct sockaddr *address, char *text, size_t capacity) {
  text[0] = 0;
  if (address->sa_family == AF_INET) inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, (socklen_t)capacity);
}

static void look_up(const char *name, char *text, size_t capacity) {
  text[0] = 0;
  // Both families in one call: asked for one alone, the system goes on to the DNS for names to which its own table gives only the other.
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *list = NULL;
  if (getaddrinfo(name, NULL, &hints, &list)) return;
  const struct addrinfo *next = list;
  while (next && next->ai_family != AF_INET) next = next->ai_next;
  if (next) address_text(next->ai_addr, text, capacity);
  freeaddrinfo(list);
}

// The address from which this machine reaches others: no packet is sent for it. Without a way out, that of any interface that is up.
static void own_address(char *text, size_t capacity) {
  text[0] = 0;
  struct sockaddr_in outside = {.sin_family = AF_INET, .sin_port = htons(53), .sin_addr.s_addr = htonl(0x08080808)};
  struct sockaddr_in own = {0};
  socklen_t length = sizeof own;
  int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (probe >= 0) {
    if (!connect(probe, (struct sockaddr *)&outside, sizeof outside) && !getsockname(probe, (struct sockaddr *)&own, &length))
      address_text((struct sockaddr *)&own, text, capacity);
    close(probe);
  }
  struct ifaddrs *list = NULL;
  if (!text[0] && !getifaddrs(&list)) {
    for (struct ifaddrs *next = list; next && !text[0]; next = next->ifa_next) {
      if (!next->ifa_addr || next->ifa_addr->sa_family != AF_INET) continue;
      if ((next->ifa_flags & IFF_LOOPBACK) || !(next->ifa_flags & IFF_UP)) continue;
      address_text(next->ifa_addr, text, capacity);
    }
    freeifaddrs(list);
  }
  if (!text[0]) snprintf(text, capacity, "127.0.0.1");
}

// Serves the child until it has an answer. The time that look-ups take isn't the script's; once they have taken too long as a whole, names
// have no addresses.
static int await_answer(uls_script_engine *engine, int timeout_ms, char *answer, size_t capacity) {
  int64_t deadline = uls_script_now_ms() + timeout_ms;
  int64_t look_up_time = 0;
  for (int look_ups = 0; look_ups <= look_up_limit; look_ups++) {
    char kind;
    int status = uls_script_receive(engine->socket, &kind, answer, capacity, deadline);
    if (status) return status;
    if (kind == 'R') return ULS_SCRIPT_OK;
    if (kind == 'E') return ULS_SCRIPT_SCRIPT_FAILED;
    char address[64] = "";
    int64_t start = uls_script_now_ms();
    if (kind != 'D') own_address(address, sizeof address);
    else if (look_up_time < look_up_patience_ms) look_up(answer, address, sizeof address);
    look_up_time += uls_script_now_ms() - start;
    deadline += uls_script_now_ms() - start;
    if (uls_script_send(engine->socket, 'A', address, strlen(address))) return ULS_SCRIPT_DIED;
  }
  return ULS_SCRIPT_TIMED_OUT;
}

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
    *status = await_answer(engine, timeout_ms, message, capacity);
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
  return failed ? ULS_SCRIPT_DIED : await_answer(engine, timeout_ms, answer, capacity);
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
