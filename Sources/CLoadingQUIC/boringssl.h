#ifndef ULS_QUIC_BORINGSSL_H
#define ULS_QUIC_BORINGSSL_H

// Includes the headers of the BoringSSL copy inside NIOSSL: only for them this target depends on NIOSSL (decision 3).

#if !__has_include("CNIOBoringSSL.h")
#error "the headers of swift-nio-ssl's BoringSSL aren't there: use a version of swift-nio-ssl that Package.swift allows"
#endif
#include "CNIOBoringSSL.h"

#endif
