#ifndef NAME_CONSTRAINTS_H
#define NAME_CONSTRAINTS_H

#include <stddef.h>

// BoringSSL's own numbers (X509_V_ERR_…).
typedef enum {
  ULS_TLS_NAMES_ALLOWED = 0,
  ULS_TLS_NAMES_NOT_PERMITTED = 47,
  ULS_TLS_NAMES_EXCLUDED = 48,
  ULS_TLS_NAMES_UNKNOWN = 51,
} uls_tls_name_verdict;

// Verifies the chain of an X509_STORE_CTX, but for constraints of types that BoringSSL doesn't know. Returns 1 if it is valid so far.
int uls_tls_verify(void *ctx);
// Whether the last verification on this thread met such constraints: the names of its chain are still to be checked.
int uls_tls_names_need_checking(void);
// Checks the alternative names of each certificate of a verified chain against the constraints of those above it.
uls_tls_name_verdict uls_tls_check_names(const void *chain, size_t *depth);

#endif
