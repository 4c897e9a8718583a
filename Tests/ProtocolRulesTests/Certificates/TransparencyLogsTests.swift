import Cryptography
import Foundation
import ProtocolRules
import Testing

struct TransparencyLogsTests {
  private static func key(_ number: UInt8) -> Data { Data([0x30, number]) }
  private static func digest(_ number: UInt8) -> [UInt8] { HashFunction.sha256.hash(key(number)) }

  private static func entry(_ number: UInt8, _ state: String, _ more: String = "") -> String {
    "{\"description\":\"log \(number)\",\"log_id\":\"\(Data(digest(number)).base64EncodedString())\",\"key\":\""
      + "\(key(number).base64EncodedString())\",\"mmd\":86400,\"url\":\"https://log.test/\",\"state\":{\(state)}\(more)}"
  }

  private static func document(_ logs: [String], tiled: [String] = []) -> Data {
    Data(
      """
      {"version": "87.4", "log_list_timestamp": "2026-11-01T12:55:44Z", "operators": [
        {"name": "Alpha", "email": ["a@a.test"], "logs": [\(logs.joined(separator: ","))], "tiled_logs": [\(tiled.joined(separator: ","))]},
        {"name": "Beta", "logs": []}, {"name": "Gamma"}]}
      """.utf8)
  }

  private static func state(_ name: String, _ date: String = "2026-01-01T00:00:00Z") -> String {
    "\"\(name)\":{\"timestamp\":\"\(date)\"}"
  }

  @Test func listIsReadWithoutLogsThatDoNotCount() throws {
    let names = ["usable", "qualified", "readonly", "retired", "pending", "rejected"]
    let logs = try TransparencyLogs(
      Self.document(
        names.enumerated().map { Self.entry(UInt8($0.offset), Self.state($0.element)) }, tiled: [Self.entry(9, Self.state("usable"))]))
    #expect(logs.count == 5)
    for number in [0, 1, 2, 3, 9] as [UInt8] { #expect(logs[Self.digest(number)]?.key == Self.key(number)) }
    #expect(logs[Self.digest(4)] == nil && logs[Self.digest(5)] == nil)
    #expect(logs.date == (try Date("2026-11-01T12:55:44Z", strategy: .iso8601)))
  }

  @Test func whatIsNoListIsAnErrorThatSaysWhy() {
    let wrong = Self.entry(1, Self.state("usable")).replacingOccurrences(
      of: Data(Self.digest(1)).base64EncodedString(), with: Data(Self.digest(2)).base64EncodedString())
    let texts: [(Data, String)] = [
      (Data(), "operators"), (Data("[]".utf8), "operators"), (Data("{\"operators\":[]}".utf8), "no log"),
      (Self.document([Self.entry(1, Self.state("pending"))]), "no log"), (Self.document([Self.entry(1, "")]), "no log"),
      (Self.document([Self.entry(1, "\"retired\":{}")]), "no log"), (Self.document([wrong]), "“log 1” isn't the SHA-256"),
      (Self.document([Self.entry(1, Self.state("usable")).replacingOccurrences(of: "\"key\":\"", with: "\"key\":\"!")]), "base64"),
    ]
    for (content, text) in texts {
      let problem = #expect(throws: TransparencyLogs.Problem.self) { try TransparencyLogs(content) }
      #expect(problem?.message.contains(text) == true, "\(String(describing: problem))")
    }
  }

  @Test func listsOfTheSameLogsAreEqual() throws {
    let logs = try TransparencyLogs(Self.document([Self.entry(1, Self.state("usable"))]))
    #expect(try logs == TransparencyLogs(Self.document([Self.entry(1, Self.state("usable"))])))
    #expect(try logs != TransparencyLogs(Self.document([Self.entry(1, Self.state("retired"))])))
    #expect(try logs != TransparencyLogs(Self.document([Self.entry(2, Self.state("usable"))])))
  }

  // MARK: which timestamps count

  private static let now = Date(timeIntervalSince1970: 1_790_000_000)

  /// The timestamp of a log at a moment.
  private func timestamp(_ number: UInt8, _ moment: Date) throws -> SignedTimestamp {
    let milliseconds = UInt64(moment.timeIntervalSince1970 * 1000)
    let bytes: [UInt8] =
      [0] + Self.digest(number) + (0..<8).map { UInt8(truncatingIfNeeded: milliseconds >> (8 * (7 - $0))) } + [0, 0, 4, 3, 0, 1, 1]
    return try #require(SignedTimestamp.list([0, UInt8(bytes.count + 2), 0, UInt8(bytes.count)] + bytes).first)
  }

  private func counts(_ state: String, _ moment: Date, isEmbedded: Bool = true) throws -> Bool {
    let log = try #require(try TransparencyLogs(Self.document([Self.entry(1, state)]))[Self.digest(1)])
    return TransparencyProof(try timestamp(1, moment), of: log, isEmbedded: isEmbedded, now: Self.now) != nil
  }

  @Test func timestampsOfTheFutureDoNotCount() throws {
    #expect(try counts(Self.state("usable"), Self.now))
    #expect(try !counts(Self.state("usable"), Self.now.addingTimeInterval(0.001)))
  }

  @Test func retiredLogsCountInsideOfCertificatesUntilTheyWere() throws {
    let end = try Date("2026-01-01T00:00:00Z", strategy: .iso8601)
    #expect(try counts(Self.state("retired"), end.addingTimeInterval(-1)))
    #expect(try !counts(Self.state("retired"), end))
    #expect(try !counts(Self.state("retired"), end.addingTimeInterval(-1), isEmbedded: false))
    #expect(try counts(Self.state("readonly"), end.addingTimeInterval(1)))
    #expect(try counts(Self.state("retired", "2026-01-01T00:00:00.500Z"), end))
  }
}
