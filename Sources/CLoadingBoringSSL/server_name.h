#ifndef ULS_BORING_SSL_SERVER_NAME_H
#define ULS_BORING_SSL_SERVER_NAME_H

#include "boringssl.h"

// Has the verification compare the server's host name or address, as far as the evaluation has one, with the names in the leaf's subject alternative
// name extension. Returns 0 if that can't be set: then no chain is trusted.
int uls_tls_require_server_name(X509_VERIFY_PARAM *param, const uls_tls_evaluation *evaluation);

#endif
