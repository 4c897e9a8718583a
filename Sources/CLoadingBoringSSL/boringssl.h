#ifndef ULS_BORING_SSL_BORINGSSL_H
#define ULS_BORING_SSL_BORINGSSL_H

// Includes the headers of the BoringSSL copy inside NIOSSL. NIOSSL doesn't export them, but in SwiftPM a C target sees the headers of all C targets
// that it is linked with: this target depends on NIOSSL (decision 3).

#if !__has_include("CNIOBoringSSL.h")
#error "the headers of swift-nio-ssl's BoringSSL aren't there: use a version of swift-nio-ssl that Package.swift allows"
#endif
#include "CNIOBoringSSL.h"

#include "CLoadingBoringSSL.h"

// Parses `bytes` as exactly one certificate in DER. The caller has to free it; NULL if they aren't one.
X509 *uls_tls_certificate_from(uls_tls_bytes bytes);
// Gives `receive` the certificate in DER.
void uls_tls_hand_over(X509 *certificate, uls_tls_receiver receive, void *context);
// Whether the certificate's key is too short to prove anything, or of a kind that BoringSSL doesn't know.
int uls_tls_is_weak_key(X509 *certificate);
// Whether the certificate's signature uses a broken digest (MD2, MD4, MD5, SHA-1).
int uls_tls_has_weak_signature(X509 *certificate);
// Frees the stack and the certificates in it.
void uls_tls_free_certificates(STACK_OF(X509) *certificates);

#endif
