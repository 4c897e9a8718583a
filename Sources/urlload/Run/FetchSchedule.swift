/// Decides which load of a run begins next, and whether an ended load's failure is reported. A value, owned by the run's task.
struct FetchSchedule {
  /// What is reported about a load that has ended.
  enum Telling {
    case nothing
    case failure(ToolFailure)
    /// Reported, unless the handling of the signal has reported it already.
    case unlessTold(ToolFailure)
  }

  /// The failures, by the load's index.
  private(set) var failures: [Int: ToolFailure] = [:]
  private var rest: Range<Int>

  init(count: Int) { rest = 0..<count }

  /// The index of the load to begin next; nil if there is none.
  mutating func next() -> Int? { rest.popFirst() }

  /// Notes that a load has ended. After a signal no further load begins, and only failures that the signal hasn't caused are reported.
  mutating func ended(_ index: Int, _ failure: ToolFailure?, isInterrupted: Bool) -> Telling {
    failures[index] = failure
    if isInterrupted { rest = rest.upperBound..<rest.upperBound }
    guard let failure else { return .nothing }
    guard isInterrupted else { return .failure(failure) }
    return failure.outlastsSignals ? .unlessTold(failure) : .nothing
  }
}
