#ifndef ULS_BORING_SSL_REVOCATION_H
#define ULS_BORING_SSL_REVOCATION_H

#include "boringssl.h"

typedef enum {
  ULS_TLS_REVOCATION_UNKNOWN,
  ULS_TLS_NOT_REVOKED,
  ULS_TLS_REVOKED,
} uls_tls_revocation;

// What lists, of uls_tls_lists_new, say of a certificate that `issuer` has signed. `now`: seconds since 1970. ULS_TLS_NOT_REVOKED only if that is to be
// proved.
uls_tls_revocation uls_tls_check_revocation(const void *lists, X509 *certificate, X509 *issuer, int64_t now, int proves);

#endif
