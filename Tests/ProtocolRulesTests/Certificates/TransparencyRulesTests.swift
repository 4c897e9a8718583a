import Cryptography
import Foundation
import ProtocolRules
import Testing

/// Which sets of timestamps will do. Logs have a letter for their operator and a number; a letter in lower case means that the log has been retired.
/// "~" before it: static tiles; "+": sent in the handshake.
struct TransparencyRulesTests {
  private static let now = Date(timeIntervalSince1970: 1_790_000_000)

  private func proof(_ text: Substring) throws -> TransparencyProof {
    let isEmbedded = !text.contains("+")
    let name = text.drop { "+~".contains($0) }
    let letter = try #require(name.first)
    let key = Data(name.utf8)
    let id = HashFunction.sha256.hash(key)
    let state = letter.isLowercase ? "retired" : "usable"
    let entry =
      "{\"log_id\":\"\(Data(id).base64EncodedString())\",\"key\":\"\(key.base64EncodedString())\",\"state\":{\"\(state)\":"
      + "{\"timestamp\":\"2026-06-01T00:00:00Z\"}},\"previous_operators\":[{\"name\":\"Z\",\"end_time\":\"2020-01-01T00:00:00Z\"}]}"
    let list = text.contains("~") ? "tiled_logs" : "logs"
    let logs = try TransparencyLogs(
      Data("{\"operators\":[{\"name\":\"\(letter.uppercased())\",\"\(list)\":[\(entry)]}]}".utf8))
    let log = try #require(logs[id])
    let isOld = name.contains("'")
    // A log whose name has a prime gave its timestamp while another operator had it.
    let milliseconds = isOld ? UInt64(1_500_000_000_000) : 1_770_000_000_000
    let bytes: [UInt8] =
      [0] + id + (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (8 * (7 - $0))) } + [0, 0, 4, 3, 0, 1, 1]
    let timestamp = try #require(SignedTimestamp.list([0, UInt8(bytes.count + 2), 0, UInt8(bytes.count)] + bytes).first)
    return try #require(TransparencyProof(timestamp, of: log, isEmbedded: isEmbedded, now: Self.now))
  }

  private func shortfall(_ text: String, days: Double) throws -> TransparencyShortfall? {
    let proofs = try text.split(separator: " ").map { try proof($0) }
    return TransparencyRules.shortfall(of: proofs, validity: Self.now...Self.now.addingTimeInterval(days * 86_400))
  }

  @Test(
    arguments: [
      ("A1 B1", 90, nil), ("A1 B1", 180, nil), ("A1 B1", 180.5, .tooFew(count: 2, needed: 3)), ("A1 B1 C1", 398, nil),
      ("A1 A2 B1", 398, nil), ("A1 A2 A3", 398, .tooFew(count: 2, needed: 3)), ("A1 A2 A3 B1", 398, nil),
      // Of each operator one counts, of each log one.
      ("A1 A2", 90, .tooFew(count: 1, needed: 2)), ("A1 A1", 90, .tooFew(count: 1, needed: 2)), ("", 90, .tooFew(count: 0, needed: 2)),
      ("A1", 90, .tooFew(count: 1, needed: 2)),
      // One has to be of a log that is still there.
      ("a1 B1", 90, nil), ("a1 b1", 90, .noneCurrent), ("a1 b1 C1", 398, nil), ("a1 b1 c1", 398, .noneCurrent),
      // One has to be of a log of RFC 6962.
      ("~A1 B1", 90, nil), ("~A1 ~B1", 90, .onlyTiled), ("~A1 ~B1 C1", 398, nil),
      // In the handshake two will do, however long the certificate lasts.
      ("+A1 +B1", 398, nil), ("+A1 B1", 398, nil), ("+A1 +A2", 90, .tooFew(count: 1, needed: 2)), ("+A1", 90, .tooFew(count: 1, needed: 2)),
      ("+A1 A1", 90, .tooFew(count: 1, needed: 2)), ("+A1 b1", 90, .tooFew(count: 1, needed: 2)), ("+~A1 +~B1", 90, .onlyTiled),
      ("+A1 A2 B1", 90, nil),
      // A log is its operator's of the time.
      ("A1 A1'", 90, nil), ("A1' B1'", 90, .tooFew(count: 1, needed: 2)),
    ] as [(String, Double, TransparencyShortfall?)])
  func certificatesNeedTimestampsOfSeveralLogs(_ proofs: String, _ days: Double, _ expected: TransparencyShortfall?) throws {
    #expect(try shortfall(proofs, days: days) == expected)
  }
}
