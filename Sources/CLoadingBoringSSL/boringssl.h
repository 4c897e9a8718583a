#ifndef ULS_BORING_SSL_BORINGSSL_H
#define ULS_BORING_SSL_BORINGSSL_H

// The headers of the BoringSSL inside NIOSSL. NIOSSL doesn't offer them to other packages, but SwiftPM has the C targets of a package see the
// headers of all C targets that they are linked with: this target depends on NIOSSL (decision 3).

#if !__has_include("CNIOBoringSSL.h")
#error "the headers of swift-nio-ssl's BoringSSL aren't there: use a version of swift-nio-ssl that Package.swift allows"
#endif
#include "CNIOBoringSSL.h"

#include "CLoadingBoringSSL.h"

// The certificate in DER that these bytes are, to be freed; NULL if they are none.
X509 *uls_tls_certificate_from(uls_tls_bytes bytes);
// Gives `receive` the certificate in DER.
void uls_tls_hand_over(X509 *certificate, uls_tls_receiver receive, void *context);
// Whether the certificate's key is too short to prove anything, or of a kind that BoringSSL doesn't know.
int uls_tls_is_weak_key(X509 *certificate);
// Whether the certificate was signed with a digest that is broken.
int uls_tls_has_weak_signature(X509 *certificate);
// Frees the certificates and the stack of them.
void uls_tls_free_certificates(STACK_OF(X509) *certificates);

#endif
