import Foundation
import URLLoadingSystem

/// Receives the body of one segment.
final class SegmentReceiver: BodyReceiver {
  private let journal: SegmentJournal
  private let index: Int
  private let meter: ProgressMeter?

  init(_ journal: SegmentJournal, _ index: Int, _ meter: ProgressMeter?) {
    self.journal = journal
    self.index = index
    self.meter = meter
  }

  func takes(status: Int) -> Bool { status == 416 }

  var asksForRest: Bool { true }

  func begin(_ response: URLResponse) throws(ToolFailure) -> Reception {
    let facts = PartFacts(response)
    let segment = journal.segment(index)
    // A response with the whole content means that the validator doesn't match any more (RFC 9110, 13.1.5).
    guard facts.status == 206, !facts.contradicts(journal.record.validator) else {
      throw SegmentedTransfer.changed
    }
    guard case .part(let range, let total)? = facts.contentRange, facts.isPlain else {
      throw ToolFailure(.badResponse, "the server sent a part without saying which; load it without --segments")
    }
    let begin = segment.begin + segment.done
    guard range.lowerBound == begin else {
      throw ToolFailure(
        .badResponse,
        "the server sent the bytes from \(range.lowerBound) where those from \(begin) were asked for; load it without --segments")
    }
    if let total, total != journal.record.total { throw SegmentedTransfer.changed }
    return .body(from: begin, total: nil)
  }

  func include(_ head: Data) {}

  func write(_ data: Data) throws(ToolFailure) {
    if let failure = journal.failure { throw failure }
    try journal.append(data, to: index)
    meter?.advance(by: data.count)
  }
}

/// Receives only the head of a response, for what it says about the content.
final class ProbeReceiver: BodyReceiver {
  private let found = Locked<PartFacts?>(nil)

  var facts: PartFacts? { found.value }

  func takes(status: Int) -> Bool { status == 416 }

  var asksForRest: Bool { true }

  func begin(_ response: URLResponse) -> Reception {
    let facts = PartFacts(response)
    found.value = facts
    return facts.status == 206 ? .body(from: 0, total: nil) : .enough
  }

  func include(_ head: Data) {}

  func write(_ data: Data) {}
}
