#define _GNU_SOURCE
#include "name_lifetime.h"

#include <string.h>
#include <sys/socket.h>

#ifdef __GLIBC__
#include <arpa/nameser.h>
#include <netinet/in.h>
#include <resolv.h>

static int is_known(const unsigned char *address, size_t length, const unsigned char *addresses, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!memcmp(address, addresses + i * length, length)) return 1;
  return 0;
}

int64_t uls_name_lifetime(const char *name, int family, const unsigned char *addresses, size_t count) {
  struct __res_state state;
  memset(&state, 0, sizeof state);
  if (res_ninit(&state)) return -1;
  state.retrans = 1;
  state.retry = 1;
  // EDNS allows answers over 512 bytes. A truncated answer isn't asked for again over TCP; it counts as it is.
  state.options |= RES_USE_EDNS0 | RES_IGNTC;
  unsigned char answer[4096];
  int type = family == AF_INET6 ? ns_t_aaaa : ns_t_a;
  size_t length = family == AF_INET6 ? 16 : 4;
  int size = res_nquery(&state, name, ns_c_in, type, answer, sizeof answer);
  res_nclose(&state);
  ns_msg message;
  if (size <= 0 || size > (int)sizeof answer || ns_initparse(answer, size, &message)) return -1;
  int64_t lifetime = -1;
  int knows = 0;
  for (int i = 0; i < ns_msg_count(message, ns_s_an); i++) {
    ns_rr record;
    if (ns_parserr(&message, ns_s_an, i, &record)) return -1;
    if (ns_rr_type(record) != type && ns_rr_type(record) != ns_t_cname) continue;
    // RFC 2181, 8: a time to live whose highest bit is set counts as zero.
    int64_t own = ns_rr_ttl(record) > INT32_MAX ? 0 : (int64_t)ns_rr_ttl(record);
    if (lifetime < 0 || own < lifetime) lifetime = own;
    if (ns_rr_type(record) == type && ns_rr_rdlen(record) == length && is_known(ns_rr_rdata(record), length, addresses, count)) knows = 1;
  }
  return knows ? lifetime : -1;
}

#else

int64_t uls_name_lifetime(const char *name, int family, const unsigned char *addresses, size_t count) {
  (void)name, (void)family, (void)addresses, (void)count;
  return -1;
}

#endif
