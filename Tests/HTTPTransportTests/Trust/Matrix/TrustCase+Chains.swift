import Foundation

extension TrustCase {
  static let time = [
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

  static let chains = [
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

  static let pathLengths = [
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
}
