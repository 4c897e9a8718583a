import Foundation
import LoadingModel
import NIOCore

/// The queue of what a `URLProtocol` instance has reported and its load hasn't taken yet. A value without I/O.
///
/// Every call takes the same time however many reports wait, but for small pieces of data, which are joined.
struct CustomProtocolReports {
  enum Report {
    case outcome(CustomProtocolClient.Outcome)
    case data(Data)
    case finished
    case failed(LoadError)
  }

  /// Data reported before the first outcome: it belongs to the body of the response that follows.
  private var early = CircularBuffer<Data>(initialCapacity: 1)
  private var reports = CircularBuffer<Report>(initialCapacity: 1)
  private var hasOutcome = false

  /// Where more pieces of data than this wait, the small ones are joined.
  private static let manyPieces = 32
  /// Bytes up to which pieces are joined.
  private static let joinedSize = 64 * 1024

  mutating func append(_ report: Report) {
    switch report {
    case .data(let data) where !hasOutcome: return early.append(data)
    case .outcome: hasOutcome = true
    case .data, .finished, .failed: break
    }
    reports.append(report)
  }

  /// Whether `take` would return a report.
  func has(behindData: Bool) -> Bool { !reports.isEmpty || !behindData && !early.isEmpty }

  /// The first report, which leaves the queue unless it is the end: that stays, so that a further call returns it again.
  /// - Parameter behindData: Whether data that was reported before the first outcome stays in the queue.
  mutating func take(behindData: Bool) -> Report? {
    if !behindData, let data = early.popFirst() { return .data(joinedEarly(data)) }
    guard let first = reports.first else { return nil }
    switch first {
    case .finished, .failed: return first
    case .outcome:
      reports.removeFirst()
      return first
    case .data(let data):
      reports.removeFirst()
      return .data(joined(data))
    }
  }

  /// Whether so many reports wait that small pieces are to be joined.
  private var areMany: Bool { early.count + reports.count > CustomProtocolReports.manyPieces }

  private static func fits(_ more: Data, behind data: Data) -> Bool { data.count + more.count <= joinedSize }

  /// `data` and small pieces of `early` behind it as one, where many wait.
  private mutating func joinedEarly(_ data: Data) -> Data {
    guard areMany else { return data }
    var data = data
    while let more = early.first, CustomProtocolReports.fits(more, behind: data) {
      data += more
      early.removeFirst()
    }
    return data
  }

  /// `data` and small pieces of `reports` behind it as one, where many wait.
  private mutating func joined(_ data: Data) -> Data {
    guard areMany else { return data }
    var data = data
    while case .data(let more)? = reports.first, CustomProtocolReports.fits(more, behind: data) {
      data += more
      reports.removeFirst()
    }
    return data
  }
}
