#define _GNU_SOURCE

#ifdef LOADING_PAC

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "CLoadingProxyScript.h"
#include "messages.h"

// The most look-ups that one evaluation of the script may ask for, and the time that they may take together.
enum { look_up_limit = 64, look_up_patience_ms = 10000 };

static void address_text(const struct sockaddr *address, char *text, size_t capacity) {
  text[0] = 0;
  if (address->sa_family == AF_INET) inet_ntop(AF_INET, &((const struct sockaddr_in *)address)->sin_addr, text, (socklen_t)capacity);
}

static void look_up(const char *name, char *text, size_t capacity) {
  text[0] = 0;
  // Asks for both address families: with AF_INET alone, the system would ask the DNS for a name that its hosts file lists with only an IPv6 address.
  struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
  struct addrinfo *list = NULL;
  if (getaddrinfo(name, NULL, &hints, &list)) return;
  const struct addrinfo *next = list;
  while (next && next->ai_family != AF_INET) next = next->ai_next;
  if (next) address_text(next->ai_addr, text, capacity);
  freeaddrinfo(list);
}

// The address of this machine from which it reaches the internet. Connecting a UDP socket only selects the route and sends no packet. Without a
// route: the address of any interface that is up, or 127.0.0.1.
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

// Answers the child's look-ups until it sends its result. The time of look-ups extends the script's deadline; after look_up_patience_ms of look-ups
// in total, names are answered without an address.
int uls_script_await_answer(int socket, int timeout_ms, char *answer, size_t capacity) {
  int64_t deadline = uls_script_now_ms() + timeout_ms;
  int64_t look_up_time = 0;
  for (int look_ups = 0; look_ups <= look_up_limit; look_ups++) {
    char kind;
    int status = uls_script_receive(socket, &kind, answer, capacity, deadline);
    if (status) return status;
    if (kind == 'R') return ULS_SCRIPT_OK;
    if (kind == 'E') return ULS_SCRIPT_SCRIPT_FAILED;
    char address[64] = "";
    int64_t start = uls_script_now_ms();
    if (kind != 'D') own_address(address, sizeof address);
    else if (look_up_time < look_up_patience_ms) look_up(answer, address, sizeof address);
    look_up_time += uls_script_now_ms() - start;
    deadline += uls_script_now_ms() - start;
    if (uls_script_send(socket, 'A', address, strlen(address))) return ULS_SCRIPT_DIED;
  }
  return ULS_SCRIPT_TIMED_OUT;
}

#endif
