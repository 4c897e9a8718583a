/// Which loads of a run are still to begin, and what is told of those that have ended. A value, owned by the run's task.
struct FetchSchedule {
  /// What is told of a load that has ended.
  enum Telling {
    case nothing
    case failure(ToolFailure)
    /// Told unless the signal's own end of the outputs has told it.
    case unlessTold(ToolFailure)
  }

  /// The failures, by the load's place.
  private(set) var failures: [Int: ToolFailure] = [:]
  private var rest: Range<Int>

  init(count: Int) { rest = 0..<count }

  /// The load to begin next; nil if there is none.
  mutating func next() -> Int? { rest.popFirst() }

  /// Notes that a load has ended. Behind a signal no further one begins, but those under way end as well, each with what it has to tell.
  mutating func ended(_ index: Int, _ failure: ToolFailure?, isInterrupted: Bool) -> Telling {
    failures[index] = failure
    if isInterrupted { rest = rest.upperBound..<rest.upperBound }
    guard let failure else { return .nothing }
    guard isInterrupted else { return .failure(failure) }
    return failure.outlastsSignals ? .unlessTold(failure) : .nothing
  }
}
