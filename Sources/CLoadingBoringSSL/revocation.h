#ifndef ULS_BORING_SSL_REVOCATION_H
#define ULS_BORING_SSL_REVOCATION_H

#include "boringssl.h"

typedef enum {
  ULS_TLS_REVOCATION_UNKNOWN,
  ULS_TLS_NOT_REVOKED,
  ULS_TLS_REVOKED,
} uls_tls_revocation;

// The status of a certificate signed by `issuer`, according to the lists (uls_tls_lists_new). `now` is in seconds since 1970. ULS_TLS_NOT_REVOKED is
// only determined if `proves`.
uls_tls_revocation uls_tls_check_revocation(const void *lists, X509 *certificate, X509 *issuer, int64_t now, int proves);

#endif
