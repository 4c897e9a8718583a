#include "server_name.h"

#include <string.h>

int uls_tls_require_server_name(X509_VERIFY_PARAM *param, const uls_tls_evaluation *evaluation) {
  // Host names in the common name aren't accepted any more (RFC 9525, 2).
  X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  const char *host = evaluation->host;
  if (host != NULL && !X509_VERIFY_PARAM_set1_host(param, host, strlen(host))) return 0;
  return evaluation->address == NULL || X509_VERIFY_PARAM_set1_ip_asc(param, evaluation->address);
}
