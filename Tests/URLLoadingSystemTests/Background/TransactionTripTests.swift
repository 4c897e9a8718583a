import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// Each member of a transaction's record, found by reflection, comes back from a message between two processes.
@Suite struct TransactionTripTests {
  typealias Change = @Sendable (inout TransactionRecord) -> Void

  private static let changes: [String: Change] = [
    "fetchType": { $0.fetchType = .networkLoad }, "fetchStart": { $0.fetchStart = Instant(nanoseconds: 0) },
    "domainLookupStart": { $0.domainLookupStart = Instant(nanoseconds: 1_000_000_000) },
    "domainLookupEnd": { $0.domainLookupEnd = Instant(nanoseconds: 1_000_000_000) },
    "connectStart": { $0.connectStart = Instant(nanoseconds: 1_000_000_000) },
    "secureConnectionStart": { $0.secureConnectionStart = Instant(nanoseconds: 1_000_000_000) },
    "secureConnectionEnd": { $0.secureConnectionEnd = Instant(nanoseconds: 1_000_000_000) },
    "connectEnd": { $0.connectEnd = Instant(nanoseconds: 1_000_000_000) },
    "requestStart": { $0.requestStart = Instant(nanoseconds: 1_000_000_000) },
    "requestEnd": { $0.requestEnd = Instant(nanoseconds: 1_000_000_000) },
    "responseStart": { $0.responseStart = Instant(nanoseconds: 1_000_000_000) },
    "responseEnd": { $0.responseEnd = Instant(nanoseconds: 1_000_000_000) }, "networkProtocolName": { $0.networkProtocolName = "h3" },
    "alternative": { $0.alternative = .broken(until: Instant(nanoseconds: 5_000_000_000)) },
    "isProxyConnection": { $0.isProxyConnection = true }, "isReusedConnection": { $0.isReusedConnection = true },
    "requestHeaderBytes": { $0.requestHeaderBytes = 7 }, "requestBodyBytes": { $0.requestBodyBytes = 7 },
    "requestBodyBytesBeforeEncoding": { $0.requestBodyBytesBeforeEncoding = 7 }, "responseHeaderBytes": { $0.responseHeaderBytes = 7 },
    "responseBodyBytes": { $0.responseBodyBytes = 7 }, "responseBodyBytesAfterDecoding": { $0.responseBodyBytesAfterDecoding = 7 },
    "networkTraits": { $0.networkTraits = [.cellular] },
  ]

  /// The first two have tests of their own, as the connection has.
  private static let others: Set<String> = ["request", "response", "connection", "trailers"]

  private static func record(_ change: Change = { _ in }) -> TransactionRecord {
    var record = TransactionRecord(request: LoadRequest(url: URL(string: "https://example.org/")))
    record.fetchStart = Instant(nanoseconds: 0)
    change(&record)
    return record
  }

  private static func trip(_ record: TransactionRecord) throws -> TransactionRecord {
    let start = Date(timeIntervalSince1970: 1_000_000)
    let metrics = URLSessionTaskTransactionMetrics(record: record, response: nil) { start.addingTimeInterval(Double($0.nanoseconds) / 1e9) }
    let encoded = try JSONEncoder().encode(TransactionValue(metrics))
    return try JSONDecoder().decode(TransactionValue.self, from: encoded).metrics.record
  }

  private static func shown(_ record: Any, _ label: String) -> String {
    Mirror(reflecting: record).children.first { $0.label == label }.map { "\($0.value)" } ?? "absent"
  }

  @Test func bodiesStayBehind() throws {
    var record = TransactionTripTests.record()
    record.request.mutate { $0.body = .data(Data(count: 1 << 20)) }
    let start = Date(timeIntervalSince1970: 1_000_000)
    let metrics = URLSessionTaskTransactionMetrics(record: record, response: nil) { start.addingTimeInterval(Double($0.nanoseconds) / 1e9) }
    let encoded = try JSONEncoder().encode(TransactionValue(metrics))
    #expect(encoded.count < 1 << 16)
    #expect(try JSONDecoder().decode(TransactionValue.self, from: encoded).metrics.request.httpBody == nil)
  }

  @Test func everyMemberIsTried() {
    let labels = Set(Mirror(reflecting: TransactionTripTests.record()).children.compactMap(\.label))
    #expect(labels.subtracting(TransactionTripTests.others) == Set(TransactionTripTests.changes.keys))
  }

  @Test(arguments: changes.keys.sorted()) func everyMemberComesBack(_ label: String) throws {
    let sent = TransactionTripTests.record(try #require(TransactionTripTests.changes[label]))
    #expect(TransactionTripTests.shown(try TransactionTripTests.trip(sent), label) == TransactionTripTests.shown(sent, label))
  }

  @Test func everyFactOfAConnectionComesBack() throws {
    let quic = QUICFacts(version: 1, earlyData: .accepted)
    quic.note(QUICFacts.Move(from: "192.0.2.1", to: "192.0.2.2"))
    var sent = TransactionTripTests.record()
    sent.connection = ConnectionFacts(
      localAddress: "127.0.0.1", localPort: 1, remoteAddress: "127.0.0.2", remotePort: 2, tlsVersion: 0x0304, tlsCipherSuite: 0x1301,
      isTLSResumed: true, isTrustOverridden: true, isMultipath: true, quic: quic)
    let got = try #require(try TransactionTripTests.trip(sent).connection)
    for label in Mirror(reflecting: got).children.compactMap(\.label) where label != "quic" {
      #expect(TransactionTripTests.shown(got, label) == TransactionTripTests.shown(try #require(sent.connection), label))
    }
    #expect(got.quic?.version == 1 && got.quic?.earlyData == .accepted && got.quic?.moves == quic.moves && got.quic?.moveCount == 1)
  }
}
