import LoadingModel
import Testing

@testable import urlload

@Suite struct HTTP3TextTests {
  private func reason(_ use: AlternativeUse?) -> String? {
    HTTP3Text.reason(use) { $0.seconds(since: Instant(nanoseconds: 1_000_000_000)) }
  }

  @Test func newConnectionsTellTheirHandshake() {
    let facts = QUICFacts(version: 1)
    #expect(HTTP3Text.connection(facts, isResumed: false, isReused: false) == ["QUIC version 1, full handshake"])
    #expect(HTTP3Text.connection(facts, isResumed: true, isReused: false) == ["QUIC version 1, session resumed"])
    facts.note(.accepted)
    #expect(HTTP3Text.connection(facts, isResumed: true, isReused: false) == ["QUIC version 1, session resumed, early data accepted"])
    #expect(HTTP3Text.connection(facts, isResumed: true, isReused: true) == ["QUIC version 1"])
  }

  @Test(arguments: [(0x6B33_43CF, "2"), (0xFF00_001D, "0xff00001d")] as [(UInt32, String)])
  func versionsHaveTheirNames(version: UInt32, name: String) {
    let refused = QUICFacts(version: version, earlyData: .refused)
    #expect(
      HTTP3Text.connection(refused, isResumed: true, isReused: false) == [
        "QUIC version \(name), session resumed, early data refused and sent again"
      ])
  }

  @Test func migrationsAreToldInOrder() {
    let facts = QUICFacts(version: 1)
    facts.note(QUICFacts.Move(from: "10.0.0.1", to: "10.0.0.2"))
    facts.note(QUICFacts.Move(from: "10.0.0.2", to: "fd00::1"))
    let lines = HTTP3Text.connection(facts, isResumed: false, isReused: true)
    #expect(
      lines.dropFirst() == ["the connection has moved from 10.0.0.1 to 10.0.0.2", "the connection has moved from 10.0.0.2 to fd00::1"])
    for number in 0..<100 { facts.note(QUICFacts.Move(from: "\(number)", to: "\(number + 1)")) }
    let many = HTTP3Text.connection(facts, isResumed: false, isReused: true)
    #expect(many.count < 20)
    #expect(many.dropFirst().first == "the connection has moved to other addresses 86 times before")
  }

  @Test func reasonsAreTold() {
    #expect(reason(.used) == "HTTP/3 used")
    for use in [AlternativeUse.lostRace, .noneKnown, .proxy, .ruledOut] { #expect(reason(use)?.hasPrefix("HTTP/3 not used: ") == true) }
    #expect(reason(.broken(until: Instant(nanoseconds: 301_000_000_000)))?.contains("tried again in 5 min,") == true)
    #expect(reason(.broken(until: Instant(nanoseconds: 0)))?.contains("tried again in 0 min,") == true)
    #expect(reason(.notBuilt) == nil && reason(nil) == nil)
  }
}
