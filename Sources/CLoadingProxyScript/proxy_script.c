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
#include <duktape.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include "pac_functions.h"

// Messages between the two processes: a letter, a length of four bytes, and as many bytes of text.
//   to the child: 'S' script, 'U' url NUL host, 'A' address
//   from it: 'R' result, 'E' error, 'D' name to look up, 'M' own address wanted

enum { text_limit = 64 * 1024, look_up_limit = 64, look_up_patience_ms = 10000 };

struct uls_script_engine {
  pid_t child;
  int socket;
};

int uls_script_is_available(void) { return 1; }
int uls_script_use(const char *path) { return 1; }

// MARK: messages

static int send_all(int fd, const void *bytes, size_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t sent = send(fd, next, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return -1;
    next += sent;
    count -= (size_t)sent;
  }
  return 0;
}

static int send_message(int fd, char kind, const char *text, size_t length) {
  char head[5] = {kind};
  uint32_t size = (uint32_t)length;
  memcpy(head + 1, &size, 4);
  return send_all(fd, head, 5) || send_all(fd, text, length) ? -1 : 0;
}

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Reads exactly `count` bytes before `deadline` (negative: none). 0, or the reason why not.
static int receive_all(int fd, void *bytes, size_t count, int64_t deadline) {
  char *next = bytes;
  while (count > 0) {
    if (deadline >= 0) {
      int64_t left = deadline - now_ms();
      struct pollfd waiting = {.fd = fd, .events = POLLIN};
      int ready = left <= 0 ? 0 : poll(&waiting, 1, (int)left);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return ULS_SCRIPT_TIMED_OUT;
    }
    ssize_t received = recv(fd, next, count, 0);
    if (received < 0 && errno == EINTR) continue;
    if (received <= 0) return ULS_SCRIPT_DIED;
    next += received;
    count -= (size_t)received;
  }
  return ULS_SCRIPT_OK;
}

// The text is cut to `capacity` and ends with NUL; the rest of it is read and dropped.
static int receive_message(int fd, char *kind, char *text, size_t capacity, int64_t deadline) {
  char head[5];
  int status = receive_all(fd, head, 5, deadline);
  if (status) return status;
  uint32_t size;
  memcpy(&size, head + 1, 4);
  *kind = head[0];
  size_t kept = size < capacity - 1 ? size : capacity - 1;
  status = receive_all(fd, text, kept, deadline);
  if (status) return status;
  text[kept] = 0;
  for (size_t rest = size - kept; rest > 0;) {
    char dropped[256];
    size_t part = rest < sizeof dropped ? rest : sizeof dropped;
    status = receive_all(fd, dropped, part, deadline);
    if (status) return status;
    rest -= part;
  }
  return ULS_SCRIPT_OK;
}

// MARK: the child

struct budget {
  size_t used, limit;
};

static int child_socket;
static struct budget memory;

// Each block remembers its size in front of itself.
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

// Asks the other process, which may use the network, for an address.
static duk_ret_t ask_for_address(duk_context *js, char kind, const char *name) {
  char answer[128];
  char answered;
  if (send_message(child_socket, kind, name, strlen(name))) _exit(0);
  if (receive_message(child_socket, &answered, answer, sizeof answer, -1) || answered != 'A') _exit(0);
  if (answer[0]) duk_push_string(js, answer); else duk_push_null(js);
  return 1;
}

static duk_ret_t js_resolve(duk_context *js) { return ask_for_address(js, 'D', duk_safe_to_string(js, 0)); }
static duk_ret_t js_own_address(duk_context *js) { return ask_for_address(js, 'M', ""); }

static void reply(duk_context *js, char kind) {
  duk_size_t length;
  const char *text = duk_safe_to_lstring(js, -1, &length);
  if (length > text_limit) length = text_limit;
  if (send_message(child_socket, kind, text, length)) _exit(0);
  duk_pop(js);
}

// The process may use `seconds` more of the processor; then the system ends it.
static void limit_time(int seconds) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  struct rlimit limit;
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = (rlim_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1 + seconds);
  setrlimit(RLIMIT_CPU, &limit);
}

static void run_child(const char *script, size_t length, int seconds) {
  signal(SIGXCPU, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Nothing of this process's is to be in reach of the script, nor be kept open by it.
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

  static char question[text_limit];
  char kind;
  while (receive_message(child_socket, &kind, question, sizeof question, -1) == ULS_SCRIPT_OK && kind == 'U') {
    limit_time(seconds);
    duk_get_global_string(js, "FindProxyForURL");
    duk_push_string(js, question);
    duk_push_string(js, question + strlen(question) + 1);
    reply(js, duk_pcall(js, 2) ? 'E' : 'R');
  }
  _exit(0);
}

// MARK: the parent

static void address_text(const struct sockaddr *address, char *text, size_t capacity) {
  text[0] = 0;
  if (address->sa_family == AF_INET) inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, (socklen_t)capacity);
}

static void look_up(const char *name, char *text, size_t capacity) {
  text[0] = 0;
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo *list = NULL;
  if (getaddrinfo(name, NULL, &hints, &list) || !list) return;
  address_text(list->ai_addr, text, capacity);
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
  int64_t deadline = now_ms() + timeout_ms;
  int64_t look_up_time = 0;
  for (int look_ups = 0; look_ups <= look_up_limit; look_ups++) {
    char kind;
    int status = receive_message(engine->socket, &kind, answer, capacity, deadline);
    if (status) return status;
    if (kind == 'R') return ULS_SCRIPT_OK;
    if (kind == 'E') return ULS_SCRIPT_SCRIPT_FAILED;
    char address[64] = "";
    int64_t start = now_ms();
    if (kind != 'D') own_address(address, sizeof address);
    else if (look_up_time < look_up_patience_ms) look_up(answer, address, sizeof address);
    look_up_time += now_ms() - start;
    deadline += now_ms() - start;
    if (send_message(engine->socket, 'A', address, strlen(address))) return ULS_SCRIPT_DIED;
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
    child_socket = sockets[1];
    memory = (struct budget){0, memory_limit};
    run_child(script, length, timeout_ms / 1000 + 1);
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
  if (first + second >= text_limit) return ULS_SCRIPT_SCRIPT_FAILED;
  char *question = malloc(first + second);
  if (!question) return ULS_SCRIPT_UNAVAILABLE;
  memcpy(question, url, first);
  memcpy(question + first, host, second);
  int failed = send_message(engine->socket, 'U', question, first + second);
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
