import LoadingModel
import Testing

@testable import HTTPTransport

struct ConnectTimingsTests {
  @Test func whatTookPlaceBeforeTheTransactionTookNoneOfItsTime() {
    let timings = ConnectTimings()
    timings.lookupStart = Instant(nanoseconds: 1)
    timings.lookupEnd = Instant(nanoseconds: 2)
    timings.connectStart = Instant(nanoseconds: 3)
    timings.secureStart = Instant(nanoseconds: 5)
    timings.secureEnd = Instant(nanoseconds: 6)
    timings.connectEnd = Instant(nanoseconds: 7)
    var record = TransactionRecord(request: LoadRequest(url: nil))
    timings.fill(&record)
    #expect(record.domainLookupStart?.nanoseconds == 1 && record.connectEnd?.nanoseconds == 7)
    record.fetchStart = Instant(nanoseconds: 4)
    timings.fill(&record)
    let phases = [
      record.domainLookupStart, record.domainLookupEnd, record.connectStart, record.secureConnectionStart, record.secureConnectionEnd,
      record.connectEnd,
    ]
    #expect(phases.map { $0?.nanoseconds } == [4, 4, 4, 5, 6, 7])
  }
}
