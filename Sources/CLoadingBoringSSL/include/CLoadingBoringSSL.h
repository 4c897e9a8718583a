#ifndef C_TLS_SESSION_H
#define C_TLS_SESSION_H

#include <stdint.h>

#include "peer_trust.h"

// What NIOSSL's BoringSSL knows and NIOSSL doesn't pass on: session tickets, the negotiated cipher suite, and trust (peer_trust.h).
// `ssl`, `ctx` and `session` are BoringSSL's SSL, SSL_CTX and SSL_SESSION.

typedef void (*uls_tls_ticket_callback)(void *slot, void *session);

/// Makes every connection of `ctx` report its tickets. Call once per context.
void uls_tls_context_enable_tickets(void *ctx, uls_tls_ticket_callback callback);
/// Names the receiver of the connection's tickets; NULL for none.
void uls_tls_set_slot(void *ssl, void *slot);
void *uls_tls_slot(void *ssl);
/// Offers `session` for resumption in the coming handshake.
void uls_tls_offer_session(void *ssl, void *session);
int uls_tls_was_resumed(void *ssl);
/// IANA number of the negotiated suite; 0 before the handshake.
uint16_t uls_tls_cipher_suite(void *ssl);
/// Whether the server of a TLS 1.2 handshake asked for a client certificate.
int uls_tls_client_certificate_was_asked(void *ssl);
void uls_tls_free_session(void *session);

#endif
