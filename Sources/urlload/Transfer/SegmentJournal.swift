import Foundation
import LoadingModel

/// Notes how much of each segment is loaded, in memory and in the record beside the file. A segment's bytes are written before the record says so, so
/// that the record is true whenever the process is killed.
///
/// Owned by a `SegmentedTransfer`; written on the session's serial delegate queue.
final class SegmentJournal: Sendable {
  private struct State {
    var record: PartRecord
    /// Bytes since the record was written.
    var unsaved: Int64 = 0
    var failure: ToolFailure?
  }

  /// Bytes after which the record is written again: at most so many are loaded again after the process was killed.
  static let interval: Int64 = 256 * 1024

  let file: PartFile
  private let state: Mutex<State>

  init(_ file: PartFile, _ record: PartRecord) {
    self.file = file
    state = Mutex(State(record: record))
  }

  var record: PartRecord { state.withLock(\.record) }

  /// The failure because of which the segments stop; nil if there is none.
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

  /// Notes that a segment has failed for good, so that the others stop as well.
  func fail(_ failure: ToolFailure) { state.withLock { $0.failure = $0.failure ?? failure } }
}
