// TLS settings that QUIC servers need and NIOSSL's contexts don't have.

#ifdef LOADING_HTTP3

#include <string.h>

#include "../CLoadingQUIC/boringssl.h"
#include "CLoadingQUICServer.h"

static const uint8_t protocol[] = "h3";

static int choose_protocol(SSL *ssl, const uint8_t **out, uint8_t *out_length, const uint8_t *in, unsigned in_length, void *argument) {
  (void)ssl, (void)argument;
  for (unsigned at = 0; at < in_length; at += 1u + in[at]) {
    if (in[at] != sizeof protocol - 1 || in_length - at - 1 < in[at] || memcmp(in + at + 1, protocol, in[at]) != 0) continue;
    *out = in + at + 1;
    *out_length = in[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_ALERT_FATAL;
}

void uls_h3_prepare_server_context(void *ctx, int accepts_early_data) {
  SSL_CTX_set_min_proto_version(ctx, TLS1_3_VERSION);
  SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, NULL);
  SSL_CTX_set_early_data_enabled(ctx, accepts_early_data);
}

void *uls_h3_server_tls(void *ctx, int refuses_early_data) {
  SSL *ssl = SSL_new(ctx);
  if (ssl != NULL && refuses_early_data) SSL_set_early_data_enabled(ssl, 0);
  return ssl;
}

#endif
