#ifndef ULS_LOADING_BORING_SSL_H
#define ULS_LOADING_BORING_SSL_H

#include <stddef.h>
#include <stdint.h>

#include "cryptography.h"
#include "hpke.h"
#include "peer_trust.h"

// What NIOSSL's BoringSSL knows and NIOSSL doesn't pass on: session tickets, the negotiated cipher suite, and trust (peer_trust.h).
// `ssl`, `ctx` and `session` are BoringSSL's SSL, SSL_CTX and SSL_SESSION.

typedef void (*uls_tls_ticket_callback)(void *slot, void *session);

/// Makes every connection of `ctx` report its tickets. Call once per context.
void uls_tls_context_enable_tickets(void *ctx, uls_tls_ticket_callback callback);
/// Has the secrets of every connection of `ctx` appended to a file, which must stay open, in the format of SSLKEYLOGFILE.
void uls_tls_context_log_keys(void *ctx, int descriptor);
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
/// Whether requests may be sent with the first flight of a handshake that resumes `session` (RFC 8446, 2.3).
int uls_tls_takes_early_data(void *session);
/// IANA number of the suite of the handshake that `session` is of: that of early data, and of a handshake that takes it (RFC 8446, 4.2.10).
uint16_t uls_tls_session_cipher_suite(void *session);
/// IANA number of the group of the key exchange; 0 before the handshake, and where there was none.
uint16_t uls_tls_group(void *ssl);
/// The negotiated version's wire number; 0 before the handshake.
uint16_t uls_tls_version(void *ssl);
/// Told of one message of a handshake: its type (RFC 8446, 4) and its length, with its header.
typedef void (*uls_tls_message_callback)(void *slot, int is_sent, uint8_t type, size_t length);
/// Has the connection's slot told of each message of its handshake.
void uls_tls_watch_messages(void *ssl, uls_tls_message_callback callback);

// MARK: Encrypted Client Hello (RFC 9849)

/// Encrypts the ClientHello of the coming handshake, by the first configuration of an ECHConfigList that BoringSSL supports. Where there is none, or
/// the list is malformed, nothing is encrypted, unless `is_required`: then there is no handshake.
void uls_tls_encrypt_hello(void *ssl, uls_tls_bytes list, int is_required);
/// Has a ClientHello that isn't encrypted look as if it was (GREASE; 6.2), in handshakes that offer TLS 1.3.
void uls_tls_grease_hello(void *ssl);
/// Whether the server has decrypted the ClientHello.
int uls_tls_hello_was_accepted(void *ssl);
/// The name that the server's certificate has to be for where the server hasn't decrypted the ClientHello (6.1.7); length 0 in all other cases.
/// As long as the handshake lasts.
uls_tls_bytes uls_tls_public_name(void *ssl);
/// The ECHConfigList that such a server has sent, which has proved the public name; length 0: it decrypts none. To be asked for only where the
/// handshake has ended in BoringSSL's ECH_REJECTED, which sends the alert ech_required.
uls_tls_bytes uls_tls_retry_configurations(void *ssl);

// MARK: connections whose records aren't TLS's own (QUIC)

/// A fresh client's connection that asks for `name`, or for no name. NULL without memory, or where no server can have that name.
void *uls_tls_new(void *ctx, const char *name);
void uls_tls_free(void *ssl);
/// What a verifier or responder answers that can't say yet.
enum { ULS_TLS_WAIT = 255 };
/// 1 if the certificate was presented or none will be, 0 to end the handshake, ULS_TLS_WAIT.
typedef int (*uls_tls_responder)(void *slot);
/// Has `responder` called when the server asks for a client certificate.
void uls_tls_set_responder(void *ssl, uls_tls_responder responder);
/// Presents a certificate chain, leaf first, with its key (DER). Returns 0 if they can't be read or don't fit.
int uls_tls_present(void *ssl, const uls_tls_bytes *chain, size_t count, uls_tls_bytes key);

#endif
