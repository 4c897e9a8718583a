#include "../CLoadingQUIC/boringssl.h"
#include "CLoadingQUICServer.h"

int uls_server_send_proofs(void *ctx, const uint8_t *timestamps, size_t timestamps_length, const uint8_t *staple, size_t staple_length) {
  return (timestamps_length == 0 || SSL_CTX_set_signed_cert_timestamp_list(ctx, timestamps, timestamps_length)) &&
         (staple_length == 0 || SSL_CTX_set_ocsp_response(ctx, staple, staple_length));
}
