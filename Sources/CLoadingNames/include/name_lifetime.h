#ifndef ULS_NAMES_NAME_LIFETIME_H
#define ULS_NAMES_NAME_LIFETIME_H

#include <stddef.h>
#include <stdint.h>

/// Asks the DNS once (res_nquery(3), without the search list) for how many seconds the addresses of `name` may be kept; waits a second for each name server.
///
/// `family` is AF_INET or AF_INET6, `addresses` the `count` addresses that the system has found, one after another in the form of the
/// network. Returns -1 if the DNS doesn't answer, or knows none of them: they come from elsewhere then, such as a file of hosts.
int64_t uls_name_lifetime(const char *name, int family, const unsigned char *addresses, size_t count);

#endif
