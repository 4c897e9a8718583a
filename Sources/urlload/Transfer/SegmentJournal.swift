import Foundation
import LoadingModel

/// What is there of each segment, in memory and beside the file. The bytes are written first, so that what the journal says is true at
/// every moment at which the process may be killed.
///
/// Owned by a `SegmentedTransfer`; written on the session's serial delegate queue.
final class SegmentJournal: Sendable {
  private struct State {
    var record: PartRecord
    /// Bytes since the record was written.
    var unsaved: Int64 = 0
    var failure: ToolFailure?
  }

  /// The most that is fetched again after a kill.
  static let interval: Int64 = 256 * 1024

  let file: PartFile
  private let state: Mutex<State>

  init(_ file: PartFile, _ record: PartRecord) {
    self.file = file
    state = Mutex(State(record: record))
  }

  var record: PartRecord { state.withLock(\.record) }

  /// Why the segments have stopped; nil without a failure.
  var failure: ToolFailure? { state.withLock(\.failure) }

  func segment(_ index: Int) -> PartRecord.Segment {
    state.withLock { state in state.record.segments.map { $0[index] } ?? PartRecord.Segment(begin: 0, end: 0) }
  }

  /// Writes bytes that continue a segment.
  func append(_ data: Data, to index: Int) throws(ToolFailure) {
    let segment = segment(index)
    let data = data.prefix(Int(min(Int64(data.count), segment.end - segment.begin - segment.done)))
    if let code = Descriptor.writeAll(data, to: file.descriptor, at: segment.begin + segment.done) {
      throw WriteFailure.failure(file.path, code)
    }
    let isDue = state.withLock { state in
      state.record.segments?[index].done += Int64(data.count)
      state.unsaved += Int64(data.count)
      defer { if state.unsaved >= SegmentJournal.interval { state.unsaved = 0 } }
      return state.unsaved >= SegmentJournal.interval
    }
    if isDue { try save() }
  }

  func save() throws(ToolFailure) { try file.save(record) }

  /// One segment has failed for good: the others end too.
  func fail(_ failure: ToolFailure) { state.withLock { $0.failure = $0.failure ?? failure } }
}
