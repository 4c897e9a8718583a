import Foundation

// The rows of the matrix, in the order of the page "Which certificates are trusted".

extension TrustCase {
  static let groups: [(title: String, cases: [TrustCase])] = [
    ("Names", names),
    ("Time", time),
    ("Chains", chains),
    ("Path lengths", pathLengths),
    ("Usages", usages),
    ("Name constraints", nameConstraints),
    ("Extensions", extensions),
    ("Keys and digests", keysAndDigests),
  ]

  static let all = groups.flatMap(\.cases)

  private static func dns(_ name: String) -> [UInt8] { MadeExtension.dns(name) }
  private static func email(_ name: String) -> [UInt8] { MadeExtension.email(name) }
  private static func uri(_ name: String) -> [UInt8] { MadeExtension.uri(name) }
  private static func address(_ bytes: [UInt8]) -> [UInt8] { MadeExtension.address(bytes) }
  private static func directory(_ name: String) -> [UInt8] { MadeExtension.directory(name) }
  private static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }

  private static let names = [
    TrustCase(
      name: "the name itself", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("www.example.com")]) },
    TrustCase(
      name: "another name", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.org")]) },
    TrustCase(
      name: "a name above it", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("example.com")]) },
    TrustCase(
      name: "a name below it", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("a.www.example.com")]) },
    TrustCase(
      name: "capital letters", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("WWW.Example.COM")]) },
    TrustCase(
      name: "the last of twenty names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.direct([
        dns("a0.example.com"), dns("a1.example.com"), dns("a2.example.com"), dns("a3.example.com"), dns("a4.example.com"),
        dns("a5.example.com"), dns("a6.example.com"), dns("a7.example.com"), dns("a8.example.com"), dns("a9.example.com"),
        dns("a10.example.com"), dns("a11.example.com"), dns("a12.example.com"), dns("a13.example.com"), dns("a14.example.com"),
        dns("a15.example.com"), dns("a16.example.com"), dns("a17.example.com"), dns("a18.example.com"), dns("www.example.com"),
      ])
    },
    TrustCase(
      name: "no alternative name, the common name fits", here: "wrongHost", curl: .yes, chromium: .no,
      why: "RFC 9525, 2: the common name is no place for hosts; curl takes it where there is no DNS name"
    ) { try $0.direct([]) { $0.name = "www.example.com" } },
    TrustCase(
      name: "no DNS name among the alternatives, the common name fits", here: "wrongHost", curl: .yes, chromium: .no,
      why: "RFC 9525, 2: the common name is no place for hosts; curl takes it where there is no DNS name"
    ) { try $0.direct([email("a@example.com")]) { $0.name = "www.example.com" } },
    TrustCase(
      name: "a wildcard for the first label", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard, and the domain itself is asked for", host: "example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard, and a name two labels below is asked for", host: "a.b.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard below a top-level domain", host: "example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.com")]) },
    TrustCase(
      name: "a wildcard alone", host: "localhost", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*")]) },
    TrustCase(
      name: "a wildcard in a label, at its end", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("ww*.example.com")]) },
    TrustCase(
      name: "a wildcard in a label, at its start", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*w.example.com")]) },
    TrustCase(
      name: "a wildcard in a label, inside", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("w*w.example.com")]) },
    TrustCase(
      name: "a wildcard as the second label", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.*.com")]) },
    TrustCase(
      name: "a wildcard as the last label", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.*")]) },
    TrustCase(
      name: "two wildcards", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.*.com")]) },
    TrustCase(
      name: "a wildcard for an international label", host: "xn--bcher-kva.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("*.example.com")]) },
    TrustCase(
      name: "a wildcard inside of an international label", host: "xn--bcher-kva.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("xn--bcher-*.example.com")]) },
    TrustCase(
      name: "an international name in its ASCII form", host: "xn--bcher-kva.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("xn--bcher-kva.example.com")]) },
    TrustCase(
      name: "an international name in UTF-8", host: "xn--bcher-kva.example.com", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("b\u{FC}cher.example.com")]) },
    TrustCase(
      name: "a name with a NUL inside", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("www.example.com\0.evil.test")]) },
    TrustCase(
      name: "a name with a dot at its end", here: "wrongHost", curl: .yes, chromium: .yes,
      why: "names in certificates are without it (RFC 5280, 4.2.1.6; RFC 1034, 3.5); the others take it away"
    ) { try $0.direct([dns("www.example.com.")]) },
    TrustCase(
      name: "a dot at the end of what is asked for", host: "www.example.com.", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("www.example.com")]) },
    TrustCase(
      name: "an underscore", host: "a_b.example.com", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([dns("a_b.example.com")]) },
    TrustCase(
      name: "an empty name", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("")]) },
    TrustCase(
      name: "an e-mail address and a URI alone", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([email("www.example.com"), uri("https://www.example.com/")]) },
    TrustCase(
      name: "an IPv4 address", host: "192.0.2.1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([address([192, 0, 2, 1])]) },
    TrustCase(
      name: "another IPv4 address", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address([192, 0, 2, 2])]) },
    TrustCase(
      name: "an IPv4 address as a name", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("192.0.2.1")]) },
    TrustCase(
      name: "an IPv4 address as a wildcard", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([dns("*.0.2.1")]) },
    TrustCase(
      name: "an IPv6 address", host: "2001:db8::1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct([address([0x20, 1, 0x0D, 0xB8] + zeros(11) + [1])]) },
    TrustCase(
      name: "an IPv4 address as one of IPv6", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address(zeros(10) + [0xFF, 0xFF, 192, 0, 2, 1])]) },
    TrustCase(
      name: "an address of five bytes", host: "192.0.2.1", here: "wrongHost", curl: .no, chromium: .no
    ) { try $0.direct([address([192, 0, 2, 1, 0])]) },
  ]

  private static let time = [
    TrustCase(
      name: "expired", here: "expired", curl: .no, chromium: .no
    ) { room in try room.direct { $0.notAfter = room.now.addingTimeInterval(-60) } },
    TrustCase(
      name: "not valid yet", here: "notYetValid", curl: .no, chromium: .no
    ) { room in try room.direct { $0.notBefore = room.now.addingTimeInterval(3600) } },
    TrustCase(
      name: "the end before the beginning", here: "expired", curl: .no, chromium: .no
    ) { room in try room.direct { $0.notAfter = $0.notBefore.addingTimeInterval(-1) } },
    TrustCase(
      name: "an expired intermediate authority", here: "expired", curl: .no, chromium: .no
    ) { room in try room.indirect(middle: { $0.notAfter = room.now.addingTimeInterval(-60) }) },
    TrustCase(
      name: "an intermediate authority that is not valid yet", here: "notYetValid", curl: .no, chromium: .no
    ) { room in try room.indirect(middle: { $0.notBefore = room.now.addingTimeInterval(3600) }) },
    TrustCase(
      name: "an expired root", here: "expired", curl: .no, chromium: .no
    ) { room in try room.direct(root: { $0.notAfter = room.now.addingTimeInterval(-60) }) },
    TrustCase(
      name: "valid for longer than its authority", here: "trusted", curl: .yes, chromium: .yes
    ) { room in try room.direct { $0.notAfter = room.now.addingTimeInterval(90 * TrustRoom.day) } },
    TrustCase(
      name: "valid to the year 2060", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.notAfter = Date(timeIntervalSince1970: 2_840_000_000) } },
    TrustCase(
      name: "valid for ten years", here: "trusted", curl: .yes, chromium: .yes
    ) { room in try room.direct { $0.notAfter = room.now.addingTimeInterval(3650 * TrustRoom.day) } },
  ]

  private static let chains = [
    TrustCase(
      name: "an intermediate authority", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect() },
    TrustCase(
      name: "the root is sent as well", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect().adding { [try $0.root()] } },
    TrustCase(
      name: "the intermediate authority is not sent", here: "missingIssuer", curl: .no, chromium: .no
    ) { try $0.indirect().keeping([0]) },
    TrustCase(
      name: "three intermediate authorities in the opposite order", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.deep(3).keeping([0, 3, 2, 1]) },
    TrustCase(
      name: "one of three intermediate authorities is missing", here: "unknownAuthority", curl: .no, chromium: .no
    ) { try $0.deep(3).keeping([0, 1, 3]) },
    TrustCase(
      name: "the certificate is sent twice", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect().keeping([0, 0, 1]) },
    TrustCase(
      name: "an authority of another chain between", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect().inserting { [try $0.middle("Stranger", key: .init())] } },
    TrustCase(
      name: "eight intermediate authorities", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.deep(8) },
    TrustCase(
      name: "thirty intermediate authorities", here: "trusted", curl: .yes, chromium: .no,
      why: "Chromium gives up a search after some steps"
    ) { try $0.deep(30) },
    TrustCase(
      name: "an unknown root that is sent", here: "unknownAuthority", curl: .no, chromium: .no
    ) { try $0.indirect().trusting { _ in [try TrustRoom().root { $0.name = "Other" }] }.adding { [try $0.root()] } },
    TrustCase(
      name: "an unknown root that is not sent", here: "missingIssuer", curl: .no, chromium: .no
    ) { room in try room.direct().trusting { _ in [try TrustRoom().root { $0.name = "Other" }] } },
    TrustCase(
      name: "another root with the same name", here: "untrusted: certificate signature failure", curl: .no, chromium: .no
    ) { room in try room.direct().trusting { _ in [try TrustRoom().root()] } },
    TrustCase(
      name: "self-signed", here: "selfSigned", curl: .no, chromium: .no
    ) { try $0.alone().trusting { [try $0.root()] } },
    TrustCase(
      name: "self-signed and an anchor", here: "selfSigned", curl: .yes, chromium: .no,
      why: "its key may not sign certificates, not even its own; SecTrustSetAnchorCertificates takes it"
    ) { try $0.alone() },
    TrustCase(
      name: "self-signed as an authority, and an anchor", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.alone { $0.extensions.removeFirst(2) } },
    TrustCase(
      name: "the intermediate authority is the anchor", here: "unknownAuthority", curl: .yes, chromium: .yes,
      why: "an anchor that isn’t self-signed ends no chain of a session; SecTrustSetAnchorCertificates lets it"
    ) { try $0.indirect().trustingSent(1) },
    TrustCase(
      name: "an expired intermediate authority beside a valid one of the same key", here: "trusted", curl: .yes, chromium: .yes
    ) { room in
      try room.indirect().inserting { _ in
        [
          try room.middle {
            $0.notAfter = room.now.addingTimeInterval(-60); $0.serial = [9]
          }
        ]
      }
    },
    TrustCase(
      name: "signed by an authority that may not be one", here: "untrusted: invalid CA certificate", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions[0] = MadeExtension.authority(false) }) },
    TrustCase(
      name: "signed by a server", here: "missingIssuer", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions = [MadeExtension.authority(false), MadeExtension.usage(.digitalSignature)] }) },
    TrustCase(
      name: "an intermediate authority without basic constraints", here: "untrusted: invalid CA certificate", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { $0.extensions.removeFirst() }) },
    TrustCase(
      name: "an intermediate authority of version 1", here: "untrusted: invalid CA certificate", curl: .no, chromium: .no
    ) { try $0.indirect(middle: { ($0.extensions, $0.version) = ([], nil) }) },
    TrustCase(
      name: "a root of version 1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct(root: { ($0.extensions, $0.version) = ([], nil) }) },
    TrustCase(
      name: "a signature that is wrong", here: "untrusted: certificate signature failure", curl: .no, chromium: .no
    ) { try $0.direct { $0.breaksSignature = true } },
    TrustCase(
      name: "two different algorithms for one signature", here: "untrusted: certificate signature failure", curl: .no, chromium: .no
    ) { try $0.direct { $0.innerAlgorithm = MadeCertificate.ecdsaWithSHA384 } },
    TrustCase(
      name: "a serial number of zero", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.direct { $0.serial = [0] } },
  ]

  private static let pathLengths = [
    TrustCase(
      name: "no authority below, and there is none", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.indirect(middle: { $0.extensions[0] = MadeExtension.authority(path: 0) }) },
    TrustCase(
      name: "no authority below, and there is one", here: "untrusted: path length constraint exceeded", curl: .no, chromium: .no
    ) { try $0.constrained(0) },
    TrustCase(
      name: "one authority below, and there is one", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.constrained(1) },
    TrustCase(
      name: "one authority below the root, and there are two", here: "untrusted: path length constraint exceeded", curl: .no, chromium: .no
    ) { try $0.deep(2, root: { $0.extensions[0] = MadeExtension.authority(path: 1) }) },
    TrustCase(
      name: "no authority below, and one of the same name that does not count", here: "unknownAuthority", curl: .no, chromium: .yes,
      why: "BoringSSL and OpenSSL take the wrong one of two authorities with one name"
    ) { try $0.selfIssued(0) },
  ]

  private static let usages = [
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

  private static let nameConstraints = [
    TrustCase(
      name: "within what is permitted", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "outside of what is permitted", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.org")])) })
    },
    TrustCase(
      name: "a name that only ends alike", host: "www.badexample.com", here: "untrusted: permitted subtree violation", curl: .no,
      chromium: .no
    ) {
      try $0.indirect(
        [dns("www.badexample.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "permitted with a dot before it", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns(".example.com")])) })
    },
    TrustCase(
      name: "excluded", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect([dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(excluded: [dns("example.com")])) })
    },
    TrustCase(
      name: "permitted, and excluded inside of that", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")], excluded: [dns("www.example.com")])) })
    },
    TrustCase(
      name: "one of two names is outside", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com"), dns("www.example.org")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "a wildcard within what is permitted", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect([dns("*.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.com")])) })
    },
    TrustCase(
      name: "a wildcard that covers what is excluded", here: "untrusted: excluded subtree violation", curl: .yes, chromium: .no,
      why: "the wildcard would be good for the name that is excluded"
    ) {
      try $0.indirect(
        [dns("*.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(excluded: [dns("www.example.com")])) })
    },
    TrustCase(
      name: "nothing is permitted", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("")], excluded: [dns("")])) })
    },
    TrustCase(
      name: "an address within what is permitted", host: "192.0.2.1", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "an address outside of what is permitted", host: "192.0.2.1", here: "untrusted: permitted subtree violation", curl: .no,
      chromium: .no
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([198, 51, 100, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "an address that is excluded", host: "192.0.2.1", here: "untrusted: excluded subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [address([192, 0, 2, 1])],
        middle: { $0.extensions.append(MadeExtension.constraints(excluded: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "addresses are constrained, and it has names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")],
        middle: { $0.extensions.append(MadeExtension.constraints(permitted: [address([192, 0, 2, 0, 255, 255, 255, 0])])) })
    },
    TrustCase(
      name: "mail is constrained, and it has names", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [email("example.org")])) })
    },
    TrustCase(
      name: "organizations are constrained, and it is of another", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [directory("Others")])) })
    },
    TrustCase(
      name: "organizations are constrained, and it is of that one", here: "trusted", curl: .yes, chromium: .yes
    ) {
      try $0.indirect(
        [dns("www.example.com")], middle: { $0.extensions.append(MadeExtension.constraints(permitted: [directory("Matrix")])) })
    },
    TrustCase(
      name: "constraints of the root", here: "untrusted: permitted subtree violation", curl: .no, chromium: .no
    ) { try $0.direct(root: { $0.extensions.append(MadeExtension.constraints(permitted: [dns("example.org")])) }) },
  ]

  private static let extensions = [
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

  private static let keysAndDigests = [
    TrustCase(
      name: "RSA with 2048 bits", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["rsa2048"]) },
    TrustCase(
      name: "RSA with 2047 bits", here: "weakKey", curl: .yes, chromium: .yes,
      why: "2048 bits are what authorities have to have; curl counts the strength by OpenSSL’s security level, Chromium asks for 1024"
    ) { try $0.weak(["rsa2047"]) },
    TrustCase(
      name: "RSA with 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "Chromium asks of authorities that the user has added for 1024 bits"
    ) { try $0.weak(["rsa1024"]) },
    TrustCase(
      name: "RSA with 512 bits", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["rsa512"]) },
    TrustCase(
      name: "P-384", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["p384"]) },
    TrustCase(
      name: "P-521", here: "trusted", curl: .yes, chromium: .no,
      why: "Chromium’s handshake doesn’t offer it"
    ) { try $0.weak(["p521"]) },
    TrustCase(
      name: "P-224", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["p224"]) },
    TrustCase(
      name: "P-192", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["p192"]) },
    TrustCase(
      name: "secp256k1", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["k1"]) },
    TrustCase(
      name: "DSA", here: "weakKey", curl: .no, chromium: .no
    ) { try $0.weak(["dsa"]) },
    TrustCase(
      name: "Ed25519", here: "trusted", curl: .yes, chromium: .no,
      why: "TLS has it (RFC 8446, 4.2.3); browsers don’t offer it"
    ) { try $0.weak(["ed25519"]) },
    TrustCase(
      name: "signed with MD5", here: "untrusted: certificate signature failure", curl: .no, chromium: .no
    ) { try $0.weak(["md5"]) },
    TrustCase(
      name: "signed with SHA-1", here: "weakSignature", curl: .no, chromium: .no
    ) { try $0.weak(["sha1"]) },
    TrustCase(
      name: "signed with SHA-384", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["sha384"]) },
    TrustCase(
      name: "signed with SHA-512", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["sha512"]) },
    TrustCase(
      name: "signed with RSA-PSS", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["pss"]) },
    TrustCase(
      name: "below an authority of 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "as above"
    ) { try $0.weak(["below1024", "ca1024"]) },
    TrustCase(
      name: "below an authority that was signed with SHA-1", here: "weakSignature", curl: .no, chromium: .no
    ) { try $0.weak(["belowsha1", "casha1"]) },
    TrustCase(
      name: "below a root of 1024 bits", here: "weakKey", curl: .no, chromium: .yes,
      why: "as above"
    ) { try $0.weak(["belowroot1024"], anchor: "root1024") },
    TrustCase(
      name: "below a root that has signed itself with SHA-1", here: "trusted", curl: .yes, chromium: .yes
    ) { try $0.weak(["belowrootsha1"], anchor: "rootsha1") },
  ]
}
