// TLS of servers: what NIOSSL's contexts lack for QUIC.

#include "CLoadingQUIC.h"

#ifdef LOADING_HTTP3

#include <string.h>

#define B(name) CNIOBoringSSL_##name

extern void B(SSL_CTX_set_alpn_select_cb)(
    void *ctx,
    int (*callback)(void *ssl, const uint8_t **out, uint8_t *out_length, const uint8_t *in, unsigned in_length, void *argument),
    void *argument);
extern int B(SSL_CTX_set_min_proto_version)(void *ctx, uint16_t version);
extern void B(SSL_CTX_set_early_data_enabled)(void *ctx, int enabled);
extern void *B(SSL_new)(void *ctx);
extern void B(SSL_set_early_data_enabled)(void *ssl, int enabled);

enum { TLS_1_3 = 0x0304, ALPN_CHOSEN = 0, ALPN_FATAL = 2 };

static const uint8_t protocol[] = "h3";

static int choose_protocol(void *ssl, const uint8_t **out, uint8_t *out_length, const uint8_t *in, unsigned in_length, void *argument) {
  (void)ssl, (void)argument;
  for (unsigned at = 0; at < in_length; at += 1u + in[at]) {
    if (in[at] != sizeof protocol - 1 || in_length - at - 1 < in[at] || memcmp(in + at + 1, protocol, in[at]) != 0) continue;
    *out = in + at + 1;
    *out_length = in[at];
    return ALPN_CHOSEN;
  }
  return ALPN_FATAL;
}

void uls_h3_prepare_server_context(void *ctx, int accepts_early_data) {
  B(SSL_CTX_set_min_proto_version)(ctx, TLS_1_3);
  B(SSL_CTX_set_alpn_select_cb)(ctx, choose_protocol, NULL);
  B(SSL_CTX_set_early_data_enabled)(ctx, accepts_early_data);
}

void *uls_h3_server_tls(void *ctx, int refuses_early_data) {
  void *ssl = B(SSL_new)(ctx);
  if (ssl != NULL && refuses_early_data) B(SSL_set_early_data_enabled)(ssl, 0);
  return ssl;
}

#endif
