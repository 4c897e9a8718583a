#ifndef ULS_BORING_SSL_NAME_CONSTRAINTS_H
#define ULS_BORING_SSL_NAME_CONSTRAINTS_H

#include "boringssl.h"

typedef enum {
  ULS_TLS_NAMES_ALLOWED = X509_V_OK,
  ULS_TLS_NAMES_NOT_PERMITTED = X509_V_ERR_PERMITTED_VIOLATION,
  ULS_TLS_NAMES_EXCLUDED = X509_V_ERR_EXCLUDED_VIOLATION,
  ULS_TLS_NAMES_UNKNOWN = X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
} uls_tls_name_verdict;

// Verifies the chain of an X509_STORE_CTX, but ignores name constraints of types that BoringSSL doesn't support. Returns 1 if it is valid.
int uls_tls_verify(X509_STORE_CTX *ctx);
// Whether the last verification on this thread ignored name constraints of unsupported types, so that uls_tls_check_names has to be called for its
// chain.
int uls_tls_names_need_checking(void);
// Checks the alternative names of each certificate of a verified chain against the name constraints of the authorities above it. `depth` is set to
// the index of the certificate that violates them.
uls_tls_name_verdict uls_tls_check_names(const STACK_OF(X509) *chain, size_t *depth);

#endif
