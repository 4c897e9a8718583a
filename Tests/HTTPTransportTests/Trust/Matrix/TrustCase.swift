import Crypto
import Foundation
import ProtocolRules
import Testing

/// A row of the matrix: what a server presents, and who trusts it.
struct TrustCase: Sendable, CustomTestStringConvertible {
  /// The verdict of another client's evaluation.
  enum Other: String, Sendable { case yes, no }

  let name: String
  var host = "www.example.com"
  /// "trusted", or the verdict.
  let here: String
  /// curl 7.88 with OpenSSL 3.0, by `TRUST_MATRIX_FOLDER`.
  let curl: Other
  /// As Chromium's sources and documents say.
  let chromium: Other
  /// Why there are differences, where there are.
  var why = ""
  let make: @Sendable (TrustRoom) throws -> TrustRoom.Presented

  var testDescription: String { name }
}

/// The authorities that rows begin with, and what they may want of them.
struct TrustRoom {
  struct Presented {
    let room: TrustRoom
    /// What the server sends, its own first.
    var sent: [[UInt8]]
    var anchors: [[UInt8]]
    /// The server's key.
    var key: MadeCertificate.Key?
  }

  static let day: TimeInterval = 86_400
  let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
  let rootKey = MadeCertificate.Key()
  let middleKey = MadeCertificate.Key()

  private func certificate(_ name: String, _ key: MadeCertificate.Key, issuer: String?) -> MadeCertificate {
    MadeCertificate(
      name: name, key: key, issuer: issuer, serial: [UInt8(truncatingIfNeeded: name.hashValue & 0x3F) + 1, 1],
      notBefore: now.addingTimeInterval(-30 * TrustRoom.day), notAfter: now.addingTimeInterval(60 * TrustRoom.day))
  }

  func root(_ change: (inout MadeCertificate) -> Void = { _ in }) throws -> [UInt8] {
    var root = certificate("Root", rootKey, issuer: nil)
    root.extensions = [MadeExtension.authority(), MadeExtension.usage(.keyCertSign, .cRLSign)]
    change(&root)
    return try root.signed(by: rootKey)
  }

  func middle(
    _ name: String = "Middle", key: MadeCertificate.Key? = nil, issuer: String = "Root", by signer: MadeCertificate.Key? = nil,
    _ change: (inout MadeCertificate) -> Void = { _ in }
  ) throws -> [UInt8] {
    var middle = certificate(name, key ?? middleKey, issuer: issuer)
    middle.extensions = [MadeExtension.authority(), MadeExtension.usage(.keyCertSign, .cRLSign)]
    change(&middle)
    return try middle.signed(by: signer ?? rootKey)
  }

  /// A server's certificate: of `issuer`, signed by `signer`.
  func leaf(
    _ names: [[UInt8]] = [MadeExtension.dns("www.example.com")], key: MadeCertificate.Key, issuer: String = "Root",
    by signer: MadeCertificate.Key? = nil, _ change: (inout MadeCertificate) -> Void = { _ in }
  ) throws -> [UInt8] {
    var leaf = certificate("server", key, issuer: issuer)
    leaf.extensions = [
      MadeExtension.authority(false), MadeExtension.usage(.digitalSignature), MadeExtension.purposes(MadeExtension.serverAuth),
    ]
    if !names.isEmpty {
      leaf.extensions.append(MadeExtension.make(MadeCertificate.oid(2, 5, 29, 17), MadeCertificate.sequence(names.flatMap(\.self))))
    }
    change(&leaf)
    return try leaf.signed(by: signer ?? rootKey)
  }

  /// A server below the root.
  func direct(
    _ names: [[UInt8]] = [MadeExtension.dns("www.example.com")], _ change: (inout MadeCertificate) -> Void = { _ in },
    root changeRoot: (inout MadeCertificate) -> Void = { _ in }
  ) throws -> Presented {
    let key = MadeCertificate.Key()
    return Presented(room: self, sent: [try leaf(names, key: key, change)], anchors: [try root(changeRoot)], key: key)
  }

  /// A server below an intermediate authority.
  func indirect(
    _ names: [[UInt8]] = [MadeExtension.dns("www.example.com")], root changeRoot: (inout MadeCertificate) -> Void = { _ in },
    middle change: (inout MadeCertificate) -> Void = { _ in }, _ changeLeaf: (inout MadeCertificate) -> Void = { _ in }
  ) throws -> Presented {
    let key = MadeCertificate.Key()
    return Presented(
      room: self, sent: [try leaf(names, key: key, issuer: "Middle", by: middleKey, changeLeaf), try middle("Middle", change)],
      anchors: [try root(changeRoot)],
      key: key)
  }

  /// A server below so many intermediate authorities.
  func deep(_ count: Int, root change: (inout MadeCertificate) -> Void = { _ in }) throws -> Presented {
    var authorities: [[UInt8]] = []
    var (issuer, signer) = ("Root", rootKey)
    for number in 1...count {
      let key = MadeCertificate.Key()
      authorities.insert(try middle("Middle \(number)", key: key, issuer: issuer, by: signer), at: 0)
      (issuer, signer) = ("Middle \(number)", key)
    }
    let key = MadeCertificate.Key()
    return Presented(
      room: self, sent: [try leaf(key: key, issuer: issuer, by: signer)] + authorities, anchors: [try root(change)], key: key)
  }

  /// Certificates that openssl has made, by their names in `weak-certificates.pem`.
  func weak(_ sent: [String], anchor: String = "root") throws -> Presented {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "weak-certificates.pem")
    let parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "# ").dropFirst()
    func certificate(_ name: String) -> [UInt8] {
      guard let part = parts.first(where: { $0.hasPrefix(name + "\n") }) else { return [] }
      let text = part.split(separator: "\n").dropFirst().filter { !$0.hasPrefix("-----") }.joined()
      return Data(base64Encoded: text).map(Array.init) ?? []
    }
    return Presented(room: self, sent: sent.map(certificate), anchors: [certificate(anchor)])
  }
}

extension TrustRoom {
  /// A server that has signed its certificate itself, which is the anchor.
  func alone(_ change: (inout MadeCertificate) -> Void = { _ in }) throws -> Presented {
    let key = MadeCertificate.Key()
    let own = try leaf(key: key, issuer: "server", by: key, change)
    return Presented(room: self, sent: [own], anchors: [own], key: key)
  }

  /// Root, an authority below which so many may be, another one, a server.
  func constrained(_ count: UInt8) throws -> Presented {
    let lower = MadeCertificate.Key()
    let key = MadeCertificate.Key()
    let upper = try middle { $0.extensions[0] = MadeExtension.authority(path: count) }
    let sent = [try leaf(key: key, issuer: "Lower", by: lower), try middle("Lower", key: lower, issuer: "Middle", by: middleKey), upper]
    return Presented(room: self, sent: sent, anchors: [try root()], key: key)
  }

  /// The same, but that both authorities have one name: that of the root's key has issued itself another certificate.
  func selfIssued(_ count: UInt8) throws -> Presented {
    let lower = MadeCertificate.Key()
    let key = MadeCertificate.Key()
    let upper = try middle { $0.extensions[0] = MadeExtension.authority(path: count) }
    let sent = [try leaf(key: key, issuer: "Middle", by: lower), try middle("Middle", key: lower, issuer: "Middle", by: middleKey), upper]
    return Presented(room: self, sent: sent, anchors: [try root()], key: key)
  }
}

extension TrustRoom.Presented {
  /// The same certificates in this order; those that aren't named aren't sent.
  func keeping(_ order: [Int]) -> Self { with(sent: order.map { sent[$0] }) }

  func adding(_ make: (TrustRoom) throws -> [[UInt8]]) rethrows -> Self { with(sent: sent + (try make(room))) }

  /// Others after the server's own.
  func inserting(_ make: (TrustRoom) throws -> [[UInt8]]) rethrows -> Self {
    with(sent: sent.prefix(1) + (try make(room)) + sent.dropFirst())
  }

  func trusting(_ make: (TrustRoom) throws -> [[UInt8]]) rethrows -> Self {
    var result = self
    result.anchors = try make(room)
    return result
  }

  func trustingSent(_ index: Int) -> Self {
    var result = self
    result.anchors = [sent[index]]
    return result
  }

  private func with(sent: [[UInt8]]) -> Self {
    var result = self
    result.sent = sent
    return result
  }
}
