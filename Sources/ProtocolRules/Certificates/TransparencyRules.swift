import Foundation

/// A timestamp whose signature is right, as far as the rules look at it.
package struct TransparencyProof: Sendable, Hashable {
  /// The digest of the log's key.
  let log: [UInt8]
  let `operator`: String
  let isCurrent: Bool
  let isTiled: Bool
  /// Whether it is inside of the certificate.
  let isEmbedded: Bool

  /// nil if the timestamp doesn't count at `now`, whatever its signature.
  package init?(_ timestamp: SignedTimestamp, of log: TransparencyLogs.Log, isEmbedded: Bool, now: Date) {
    let moment = Date(timeIntervalSince1970: Double(timestamp.milliseconds) / 1000)
    // RFC 6962, 5.2: "TLS clients MUST reject SCTs whose timestamp is in the future."
    guard moment <= now else { return nil }
    switch log.state {
    case .current: isCurrent = true
    case .retired(let end):
      // What comes in the handshake could be of today.
      guard isEmbedded, moment < end else { return nil }
      isCurrent = false
    }
    self.log = timestamp.log
    self.isEmbedded = isEmbedded
    self.operator = log.ran(at: moment)
    isTiled = log.isTiled
  }
}

/// Why a certificate isn't known to have been published.
package enum TransparencyShortfall: Sendable, Hashable {
  /// No logs are known, so no timestamp can be verified.
  case noLogs
  /// Neither the certificate nor the server has a timestamp.
  case noTimestamps
  case tooFew(count: Int, needed: Int)
  /// All logs have been retired.
  case noneCurrent
  /// All logs serve static tiles.
  case onlyTiled
}

/// Which timestamps show that a certificate has been published: Apple's policy (support.apple.com/103214), which Chromium's is close to.
package enum TransparencyRules {
  private static let day: TimeInterval = 86_400

  /// What is missing; nil if nothing is.
  package static func shortfall(of proofs: [TransparencyProof], validity: ClosedRange<Date>) -> TransparencyShortfall? {
    // "Two SCTs from currently approved logs with one SCT presented via TLS extension or OCSP stapling"; of two operators, as Chromium has it.
    let current = proofs.filter(\.isCurrent)
    let isShown = current.contains { !$0.isEmbedded } && counted(current, perOperator: 1) >= 2
    if !isShown {
      // "180 days or less: 2, of each operator 1 at most; 181 to 398 days: 3, of each operator 2 at most."
      let lifetime = validity.upperBound.timeIntervalSince(validity.lowerBound)
      let needed = lifetime > 180 * day ? 3 : 2
      let embedded = proofs.filter(\.isEmbedded)
      let count = counted(embedded, perOperator: needed - 1)
      guard count >= needed else { return .tooFew(count: max(count, counted(current, perOperator: 1)), needed: needed) }
      // "At least one embedded SCT from a currently approved log."
      guard embedded.contains(where: \.isCurrent) else { return .noneCurrent }
    }
    // "At least one SCT must be issued from a log compliant with RFC 6962."
    return proofs.allSatisfy(\.isTiled) ? .onlyTiled : nil
  }

  /// How many logs there are, of each operator so many at most.
  private static func counted(_ proofs: [TransparencyProof], perOperator limit: Int) -> Int {
    var logs: Set<[UInt8]> = []
    var counts: [String: Int] = [:]
    for proof in proofs where logs.insert(proof.log).inserted { counts[proof.operator, default: 0] += 1 }
    return counts.values.reduce(0) { $0 + min(limit, $1) }
  }
}
