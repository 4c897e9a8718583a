import Foundation

/// A timestamp whose signature has been verified, with the facts that the transparency rules use.
package struct TransparencyProof: Sendable, Hashable {
  /// SHA-256 of the log's public key.
  let log: [UInt8]
  let `operator`: String
  let isCurrent: Bool
  let isTiled: Bool
  /// Whether the timestamp is inside the certificate, rather than in the TLS handshake or an OCSP response.
  let isEmbedded: Bool

  /// nil if the timestamp doesn't count at `now`, although its signature is right.
  package init?(_ timestamp: SignedTimestamp, of log: TransparencyLogs.Log, isEmbedded: Bool, now: Date) {
    let moment = Date(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000)
    // RFC 6962, 5.2: "TLS clients MUST reject SCTs whose timestamp is in the future."
    guard moment <= now else { return nil }
    switch log.state {
    case .current: isCurrent = true
    case .retired(let end):
      // A retired log's timestamp counts only inside a certificate: one in the handshake could have been issued today, with an earlier date.
      guard isEmbedded, moment < end else { return nil }
      isCurrent = false
    }
    self.log = timestamp.log
    self.isEmbedded = isEmbedded
    self.operator = log.ran(at: moment)
    isTiled = log.isTiled
  }
}

/// Why the timestamps don't show that a certificate has been published.
package enum TransparencyShortfall: Sendable, Hashable {
  /// The client knows no logs, so that no timestamp can be verified.
  case noLogs
  /// Neither the certificate nor the server has a timestamp.
  case noTimestamps
  case tooFew(count: Int, needed: Int)
  /// No embedded timestamp is of a log that is still current: all have been retired.
  case noneCurrent
  /// All timestamps are of logs that serve static tiles; one must be of a log by RFC 6962.
  case onlyTiled
}

/// Which timestamps show that a certificate has been published: Apple's policy (support.apple.com/103214), which Chromium's is close to.
package enum TransparencyRules {
  private static let day: TimeInterval = 86_400

  /// What the timestamps lack for the policy; nil if they satisfy it.
  package static func shortfall(of proofs: [TransparencyProof], validity: ClosedRange<Date>) -> TransparencyShortfall? {
    // Apple's policy: "Two SCTs from currently approved logs with one SCT presented via TLS extension or OCSP stapling"; of two operators, as
    // Chromium demands.
    let current = proofs.filter(\.isCurrent)
    let isShown = current.contains { !$0.isEmbedded } && counted(current, perOperator: 1) >= 2
    if !isShown {
      // Apple's policy: "180 days or less: 2, of each operator 1 at most; 181 to 398 days: 3, of each operator 2 at most."
      let lifetime = validity.upperBound.timeIntervalSince(validity.lowerBound)
      let needed = lifetime > 180 * day ? 3 : 2
      let embedded = proofs.filter(\.isEmbedded)
      let count = counted(embedded, perOperator: needed - 1)
      guard count >= needed else { return .tooFew(count: max(count, counted(current, perOperator: 1)), needed: needed) }
      // Apple's policy: "At least one embedded SCT from a currently approved log."
      guard embedded.contains(where: \.isCurrent) else { return .noneCurrent }
    }
    // Apple's policy: "At least one SCT must be issued from a log compliant with RFC 6962."
    return proofs.allSatisfy(\.isTiled) ? .onlyTiled : nil
  }

  /// The number of logs, of which at most `limit` count for each operator.
  private static func counted(_ proofs: [TransparencyProof], perOperator limit: Int) -> Int {
    var logs: Set<[UInt8]> = []
    var counts: [String: Int] = [:]
    for proof in proofs where logs.insert(proof.log).inserted { counts[proof.operator, default: 0] += 1 }
    return counts.values.reduce(0) { $0 + min(limit, $1) }
  }
}
