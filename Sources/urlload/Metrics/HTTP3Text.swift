import Foundation
import LoadingModel
import URLLoadingSystem

/// Describes the part of HTTP/3 and QUIC in a transaction. Pure.
enum HTTP3Text {
  /// Lines about QUIC version and handshake, migrations of the connection, and why HTTP/3 was or wasn't used.
  static func lines(_ metrics: URLSessionTaskTransactionMetrics) -> [String] {
    let connection = metrics.quic.map { self.connection($0, isResumed: metrics.isTLSResumed, isReused: metrics.isReusedConnection) } ?? []
    let end = metrics.responseEndDate ?? metrics.fetchStartDate ?? Date()
    return connection + [reason(metrics.alternativeUse) { metrics.date(of: $0).timeIntervalSince(end) }].compactMap(\.self)
  }

  /// Version, handshake and migrations of a QUIC connection.
  static func connection(_ facts: QUICFacts, isResumed: Bool, isReused: Bool) -> [String] {
    let version =
      switch facts.version {
      case 1: "1"
      case 0x6B33_43CF: "2"
      default: "0x" + String(facts.version, radix: 16)
      }
    let handshake = isReused ? nil : isResumed ? "session resumed" : "full handshake"
    let earlyData: String? =
      switch facts.earlyData {
      case .unused: nil
      case .accepted: "early data accepted"
      case .refused: "early data refused and sent again"
      }
    let moves = facts.moves
    let left = facts.moveCount - moves.count
    return [["QUIC version \(version)", handshake, isReused ? nil : earlyData].compactMap(\.self).joined(separator: ", ")]
      + (left > 0 ? ["the connection has moved to other addresses \(left) times before"] : [])
      + moves.map { "the connection has moved from \($0.from) to \($0.to)" }
  }

  /// Why HTTP/3 was or wasn't used; nil if that isn't known, or HTTP/3 isn't built in.
  ///
  /// - Parameter seconds: Seconds from the transaction's end to a moment.
  static func reason(_ use: AlternativeUse?, seconds: (Instant) -> Double) -> String? {
    switch use {
    case .used?: return "HTTP/3 used"
    case .lostRace?: return "HTTP/3 not used: a connection over TCP was there, or was ready first"
    case .broken(let until)?:
      // The time is two days at most.
      let minutes = Int((max(0, min(seconds(until), 1e9)) / 60).rounded(.up))
      return "HTTP/3 not used: it has failed with this server; tried again in \(minutes) min, or on another network"
    case .noneKnown?: return "HTTP/3 not used: neither Alt-Svc nor the DNS names it for this server; --http3 tries it nevertheless"
    case .proxy?: return "HTTP/3 not used: the proxy carries TCP alone"
    case .ruledOut?:
      return "HTTP/3 not used: the options rule it out, the server wants HTTP/1.1, or the login needs a connection of its own"
    case .notBuilt?, nil: return nil
    }
  }
}
