#ifndef ULS_NAMES_NAME_LIFETIME_H
#define ULS_NAMES_NAME_LIFETIME_H

#include <stddef.h>
#include <stdint.h>

/// Queries the DNS (res_nquery(3), without the search list) for the time to live of `name`'s addresses, in seconds. Waits at most a second for each
/// name server.
///
/// `family` is AF_INET or AF_INET6; `addresses` are the `count` addresses that the system has resolved, one after another in network byte order.
/// Returns -1 if the DNS doesn't answer, or its answer has none of these addresses, which then come from another source such as the hosts file.
int64_t uls_name_lifetime(const char *name, int family, const unsigned char *addresses, size_t count);

#endif
