extension TrustCase {
  static let usages = [
    TrustCase(
      name: "an authority that may not sign certificates", here: "missingIssuer", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions[1] = MadeExtension.usage(.cRLSign) }) },
    TrustCase(
      name: "an authority that does not say what it may", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect(middle: { $0.extensions.removeLast() }) },
    TrustCase(
      name: "a server that does not say what its key may", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.extensions.remove(at: 1) } },
    TrustCase(
      name: "a server whose key may sign certificates alone", here: "untrusted: unsupported certificate purpose", curl: .no, chromium: .no
    ) { try $0.direct { $0.extensions[1] = MadeExtension.usage(.keyCertSign) } },
    TrustCase(
      name: "a server whose key may agree on keys alone", here: "trusted", curl: .yes, chromium: .no,
      why: "the evaluation takes it; BoringSSL’s handshake, which signs, doesn’t"
    ) { try $0.direct { $0.extensions[1] = MadeExtension.usage(.keyAgreement) } },
    TrustCase(
      name: "no extended usage", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.extensions.remove(at: 2) } },
    TrustCase(
      name: "for clients alone", here: "untrusted: unsupported certificate purpose", curl: .no, chromium: .no
    ) { try $0.direct { $0.extensions[2] = MadeExtension.purposes(MadeExtension.clientAuth) } },
    TrustCase(
      name: "for servers and for code", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.extensions[2] = MadeExtension.purposes(MadeExtension.codeSigning, MadeExtension.serverAuth) } },
    TrustCase(
      name: "for any usage", here: "untrusted: unsupported certificate purpose", curl: .no, chromium: .yes,
      why: "RFC 5280, 4.2.1.12 leaves it to applications; authorities may no longer issue such ones for servers"
    ) { try $0.direct { $0.extensions[2] = MadeExtension.purposes(MadeExtension.anyUsage) } },
    TrustCase(
      name: "an authority for clients alone", here: "untrusted: unsupported certificate purpose", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions.append(MadeExtension.purposes(MadeExtension.clientAuth)) }) },
    TrustCase(
      name: "an authority for servers", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect(middle: { $0.extensions.append(MadeExtension.purposes(MadeExtension.serverAuth)) }) },
    TrustCase(
      name: "a server that may be an authority", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.extensions[0] = MadeExtension.authority() } },
  ]

  static let extensions = [
    TrustCase(
      name: "a critical one that is unknown", here: "untrusted: unhandled critical extension", curl: .no, chromium: .no
    ) { try $0.direct { $0.extensions.append(MadeExtension.unknown(critical: true)) } },
    TrustCase(
      name: "an unknown one", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.extensions.append(MadeExtension.unknown(critical: false)) } },
    TrustCase(
      name: "a critical one that is unknown, of an authority", here: "untrusted: unhandled critical extension", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions.append(MadeExtension.unknown(critical: true)) }) },
    TrustCase(
      name: "the same extension twice", here: "untrusted: invalid or inconsistent certificate extension", curl: .no, chromium: .no
    ) { try $0.direct { $0.extensions.append($0.extensions[2]) } },
    TrustCase(
      name: "what is given to logs of certificates (RFC 6962, 3.1)", here: "untrusted: unhandled critical extension", curl: .no,
      chromium: .no
    ) {
      try $0.direct {
        $0.extensions.append(MadeExtension.make(MadeCertificate.oid(1, 3, 6, 1, 4, 1, 11129, 2, 4, 3), critical: true, [5, 0]))
      }
    },
    TrustCase(
      name: "extensions in a certificate of version 1", here: "unreadable", curl: .yes, chromium: .no,
      why: "RFC 5280, 4.1.2.9: extensions are of version 3"
    ) { try $0.direct { $0.version = nil } },
    TrustCase(
      name: "alternative names that are critical", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([]) { $0.extensions.append(MadeExtension.names(dns("www.example.com"), critical: true)) } },
  ]
}
