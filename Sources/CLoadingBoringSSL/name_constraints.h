#ifndef ULS_BORING_SSL_NAME_CONSTRAINTS_H
#define ULS_BORING_SSL_NAME_CONSTRAINTS_H

#include "boringssl.h"

typedef enum {
  ULS_TLS_NAMES_ALLOWED = X509_V_OK,
  ULS_TLS_NAMES_NOT_PERMITTED = X509_V_ERR_PERMITTED_VIOLATION,
  ULS_TLS_NAMES_EXCLUDED = X509_V_ERR_EXCLUDED_VIOLATION,
  ULS_TLS_NAMES_UNKNOWN = X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE,
} uls_tls_name_verdict;

// Verifies the chain of an X509_STORE_CTX, but for constraints of types that BoringSSL doesn't know. Returns 1 if it is valid so far.
int uls_tls_verify(X509_STORE_CTX *ctx);
// Whether the last verification on this thread met such constraints: the names of its chain are still to be checked.
int uls_tls_names_need_checking(void);
// Checks the alternative names of each certificate of a verified chain against the constraints of those above it.
uls_tls_name_verdict uls_tls_check_names(const STACK_OF(X509) *chain, size_t *depth);

#endif
