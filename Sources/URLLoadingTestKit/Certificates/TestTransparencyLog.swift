#if TestKit
  import Crypto
  import Foundation
  import ProtocolRules

  /// A Certificate Transparency log (RFC 6962) that only signs timestamps and publishes no certificates.
  package struct TestTransparencyLog: Sendable {
    /// The log's description in a list of logs.
    package let name: String
    package let `operator`: String
    /// The date of its timestamps; nil for a minute before they are made.
    package var date: Date?
    private let key = P256.Signing.PrivateKey()

    package init(_ name: String, operator: String, date: Date? = nil) {
      self.name = name
      self.operator = `operator`
      self.date = date
    }

    /// The log's public key as a SubjectPublicKeyInfo in DER.
    package var publicKey: Data { key.publicKey.derRepresentation }
    package var digest: [UInt8] { Array(SHA256.hash(data: publicKey)) }

    /// The log entry (type precert_entry; RFC 6962, 3.2) for a certificate in DER in which timestamps are going to be embedded.
    package static func precertificate(_ certificate: Data, issuerKey: P256.Signing.PublicKey) throws -> [UInt8] {
      var outer = DERReader([UInt8](certificate))
      guard let content = outer.next(0x30) else { throw CocoaError(.coderInvalidValue) }
      var inner = DERReader(content)
      guard let tbs = inner.next()?.whole else { throw CocoaError(.coderInvalidValue) }
      return [0, 1] + SHA256.hash(data: issuerKey.derRepresentation) + length(tbs.count, 3) + tbs
    }

    /// The log entry (type x509_entry; RFC 6962, 3.2) for a certificate in DER whose timestamps are sent in the handshake or in an OCSP response.
    package static func entry(_ certificate: Data) -> [UInt8] { [0, 0] + length(certificate.count, 3) + certificate }

    /// A SignedCertificateTimestamp for `entry`, signed by this log (RFC 6962, 3.2).
    package func timestamp(_ entry: [UInt8]) throws -> [UInt8] {
      let moment = date ?? Date(timeIntervalSinceNow: -60)
      let milliseconds = TestTransparencyLog.length(Int(moment.timeIntervalSince1970 * 1000), 8)
      let signature = try key.signature(for: Data([0, 0] + milliseconds + entry + [0, 0])).derRepresentation
      return [0] + digest + milliseconds + [0, 0, 4, 3] + TestTransparencyLog.length(signature.count, 2) + signature
    }

    /// A SignedCertificateTimestampList of timestamps (RFC 6962, 3.3).
    package static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
      let all = timestamps.flatMap { length($0.count, 2) + $0 }
      return length(all.count, 2) + all
    }

    /// A list of logs in the JSON format of Google's log list.
    ///
    /// - Parameters:
    ///   - retired: For the names of retired logs, the date on which they were retired.
    ///   - tiled: The names of logs that serve static tiles.
    ///   - states: For the names of other logs, their state; "usable" without an entry.
    package static func document(
      _ logs: [TestTransparencyLog], retired: [String: String] = [:], tiled: Set<String> = [], states: [String: String] = [:]
    ) throws -> Data {
      var groups: [[String: Any]] = []
      for name in Set(logs.map(\.operator)).sorted() {
        func entries(_ isTiled: Bool) -> [[String: Any]] {
          logs.filter { $0.operator == name && tiled.contains($0.name) == isTiled }.map { log in
            let (state, since) = retired[log.name].map { ("retired", $0) } ?? (states[log.name] ?? "usable", "2020-01-01T00:00:00Z")
            return [
              "description": log.name, "log_id": Data(log.digest).base64EncodedString(), "key": log.publicKey.base64EncodedString(),
              "mmd": 86_400, "url": "https://\(log.name).test/", "state": [state: ["timestamp": since]],
            ]
          }
        }
        groups.append(["name": name, "email": [], "logs": entries(false), "tiled_logs": entries(true)])
      }
      let document: [String: Any] = ["version": "1.0", "log_list_timestamp": "2026-11-01T12:00:00Z", "operators": groups]
      return try JSONSerialization.data(withJSONObject: document)
    }

    private static func length(_ number: Int, _ width: Int) -> [UInt8] {
      (0..<width).map { UInt8(truncatingIfNeeded: number >> (8 * (width - 1 - $0))) }
    }
  }
#endif
