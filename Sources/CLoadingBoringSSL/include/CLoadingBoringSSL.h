#ifndef ULS_LOADING_BORING_SSL_H
#define ULS_LOADING_BORING_SSL_H

#include <stddef.h>
#include <stdint.h>

#include "cryptography.h"
#include "hpke.h"
#include "peer_trust.h"

// Functions of NIOSSL's BoringSSL that NIOSSL has no API for: session tickets, negotiated parameters, Encrypted Client Hello, and trust evaluation
// (peer_trust.h). `ssl`, `ctx` and `session` are BoringSSL's SSL, SSL_CTX and SSL_SESSION.

typedef void (*uls_tls_ticket_callback)(void *slot, void *session);

/// Has `callback` called with each ticket that a connection of `ctx` receives. To be called once per context.
void uls_tls_context_enable_tickets(void *ctx, uls_tls_ticket_callback callback);
/// Has the secrets of every connection of `ctx` appended to a file, which must stay open, in the format of SSLKEYLOGFILE.
void uls_tls_context_log_keys(void *ctx, int descriptor);
/// Sets the pointer that callbacks of this connection are given as `slot`; NULL for none, so that they aren't called.
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
/// Whether `session` allows early data in the handshake that resumes it (RFC 8446, 2.3).
int uls_tls_takes_early_data(void *session);
/// IANA number of the cipher suite of the handshake that created `session`, which protects early data, and also the handshake that accepts it (RFC
/// 8446, 4.2.10).
uint16_t uls_tls_session_cipher_suite(void *session);
/// IANA number of the group of the key exchange; 0 before the handshake is complete, and if a session was resumed without one.
uint16_t uls_tls_group(void *ssl);
/// The negotiated TLS version as its wire number; meaningful only after the handshake.
uint16_t uls_tls_version(void *ssl);
/// Called with each message of a handshake: its type (RFC 8446, 4), and its length in bytes including the message header.
typedef void (*uls_tls_message_callback)(void *slot, int is_sent, uint8_t type, size_t length);
/// Has `callback` called, with the connection's slot, for each message of its handshake.
void uls_tls_watch_messages(void *ssl, uls_tls_message_callback callback);

// MARK: Encrypted Client Hello (RFC 9849)

/// Encrypts the ClientHello of the coming handshake, by the first configuration of an ECHConfigList that BoringSSL supports. Where there is none, or
/// the list is malformed, nothing is encrypted, unless `is_required`: then there is no handshake.
void uls_tls_encrypt_hello(void *ssl, uls_tls_bytes list, int is_required);
/// Sends GREASE in a ClientHello that isn't encrypted, so that it looks like an encrypted one (RFC 9849, 6.2), in handshakes that offer TLS 1.3.
void uls_tls_grease_hello(void *ssl);
/// Whether the server has decrypted the ClientHello.
int uls_tls_hello_was_accepted(void *ssl);
/// The public name, for which the server's certificate must be valid if it hasn't decrypted the ClientHello (RFC 9849, 6.1.7); length 0 otherwise.
/// Valid during the handshake.
uls_tls_bytes uls_tls_public_name(void *ssl);
/// The ECHConfigList that a server has sent which hasn't decrypted the ClientHello and is valid for the public name; length 0 if it doesn't support
/// ECH. To be called only after the handshake has ended with BoringSSL's error ECH_REJECTED, which sends the alert ech_required.
uls_tls_bytes uls_tls_retry_configurations(void *ssl);

// MARK: TLS in QUIC

/// Creates a client's SSL object that requests the server `name` (SNI), or none if that is NULL. Returns NULL if memory is short or the name invalid.
void *uls_tls_new(void *ctx, const char *name);
void uls_tls_free(void *ssl);
/// The answer of a verifier or responder that can't decide yet: the handshake waits.
enum { ULS_TLS_WAIT = 255 };
/// Returns 1 if a client certificate was presented or none will be, 0 to end the handshake, or ULS_TLS_WAIT.
typedef int (*uls_tls_responder)(void *slot);
/// Has `responder` called when the server asks for a client certificate.
void uls_tls_set_responder(void *ssl, uls_tls_responder responder);
/// Presents a certificate chain, the client's own first, with its private key (DER). Returns 0 if they can't be read or the key doesn't match.
int uls_tls_present(void *ssl, const uls_tls_bytes *chain, size_t count, uls_tls_bytes key);

#endif
