import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

struct URLSessionTaskMetricsTests {
  private let wall = Date(timeIntervalSince1970: 1_700_000_000)

  private func date(_ instant: Instant) -> Date { wall.addingTimeInterval(instant.seconds(since: Instant(nanoseconds: 5_000_000_000))) }

  private func record() throws -> TransactionRecord {
    let url = try address("https://user:secret@h.test/page?token=secret")
    var record = TransactionRecord(request: LoadRequest(url: url))
    record.fetchType = .networkLoad
    record.fetchStart = Instant(nanoseconds: 5_000_000_000)
    record.requestStart = Instant(nanoseconds: 5_250_000_000)
    record.requestEnd = Instant(nanoseconds: 5_500_000_000)
    record.responseStart = Instant(nanoseconds: 6_000_000_000)
    record.responseEnd = Instant(nanoseconds: 8_000_000_000)
    record.networkProtocolName = "h2"
    record.responseBodyBytes = 10
    record.responseBodyBytesAfterDecoding = 20
    record.response = LoadResponse(url: url, kind: .http(ResponseHead(status: 200, headers: HeaderFields())), expectedLength: -1)
    record.connection = ConnectionFacts(
      localAddress: "127.0.0.1", localPort: 1, remoteAddress: "127.0.0.2", remotePort: 443, tlsVersion: 0x0304, tlsCipherSuite: 0x1301,
      isTLSResumed: false)
    return record
  }

  @Test func transactionsShowTheRecord() throws {
    let metrics = URLSessionTaskTransactionMetrics(record: try record(), response: nil, date: date)
    #expect(metrics.request.url?.host == "h.test")
    #expect(metrics.fetchStartDate == wall)
    #expect(try #require(metrics.responseEndDate).timeIntervalSince(wall) == 3)
    #expect(metrics.domainLookupStartDate == nil)
    #expect(metrics.networkProtocolName == "h2")
    #expect(metrics.resourceFetchType == .networkLoad)
    #expect(metrics.countOfResponseBodyBytesReceived == 10)
    #expect(metrics.countOfResponseBodyBytesAfterDecoding == 20)
    #expect(metrics.remotePort == 443)
    #expect(metrics.negotiatedTLSProtocolVersion == .TLSv13)
    #expect(metrics.negotiatedTLSCipherSuite == .AES_128_GCM_SHA256)
    #expect(metrics.domainResolutionProtocol == .unknown)
  }

  @Test func descriptionHasALineForEachTransactionAndNoSecret() throws {
    let transaction = URLSessionTaskTransactionMetrics(record: try record(), response: nil, date: date)
    let metrics = URLSessionTaskMetrics(
      transactions: [transaction, transaction], taskInterval: DateInterval(start: wall, duration: 3), redirectCount: 1)
    let lines = metrics.description.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[0] == "3.000 s, 1 redirects, 2 transactions")
    #expect(lines[1].contains("GET https://h.test/page -> 200, h2, new connection to 127.0.0.2 port 443, request 250.0 ms, wait 500.0 ms"))
    #expect(!metrics.description.contains("secret"))
    #expect(metrics.transactionMetrics.count == 2)
    #expect(metrics.redirectCount == 1)
    #expect(metrics.taskInterval.duration == 3)
  }

  @Test func taskTakesAllOfItsTransactionsTime() throws {
    let transaction = URLSessionTaskTransactionMetrics(record: try record(), response: nil, date: date)
    let end = wall.addingTimeInterval(3)
    func start(_ creation: Date, _ transactions: [URLSessionTaskTransactionMetrics]) -> Date {
      let interval = TaskMetricsFold.interval(from: creation, to: end, around: transactions)
      #expect(interval.end == end)
      return interval.start
    }
    let before = wall.addingTimeInterval(-1)
    #expect(start(before, [transaction]) == before)
    #expect(start(wall.addingTimeInterval(0.001), [transaction, transaction]) == wall)
    // The clock was set back by more than the task took.
    #expect(start(wall.addingTimeInterval(60), [transaction]) == wall)
    #expect(start(wall.addingTimeInterval(60), []) == end)
  }

  private func address(_ text: String) throws -> URL { try #require(URL(string: text)) }
}
