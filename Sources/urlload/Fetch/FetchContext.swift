import LoadingModel
import URLLoadingSystem

/// An output that is given up where the run is.
protocol UnfinishedOutput: AnyObject, Sendable {
  /// Ends it without completing it.
  func discard()
}

extension Output: UnfinishedOutput {}

/// What the loads of a run share. Thread-safe.
final class FetchContext: Sendable {
  let plan: RequestPlan
  let options: OutputOptionValues
  let session: URLSession
  let interruption: Interruption
  /// Where several loads at once show their progress.
  let board: ProgressBoard?
  /// The digests of `--checksum-file`.
  let checksums: ChecksumFile?
  private let outputs = Mutex<[any UnfinishedOutput]>([])

  init(
    plan: RequestPlan, options: OutputOptionValues, session: URLSession, interruption: Interruption, board: ProgressBoard?,
    checksums: ChecksumFile? = nil
  ) {
    self.checksums = checksums
    self.plan = plan
    self.options = options
    self.session = session
    self.interruption = interruption
    self.board = board
  }

  func add(_ output: any UnfinishedOutput) { outputs.withLock { $0.append(output) } }

  func remove(_ output: any UnfinishedOutput) { outputs.withLock { $0.removeAll { $0 === output } } }

  /// Ends all outputs without completing them.
  func discard() {
    for output in outputs.withLock({ $0 }) { output.discard() }
  }
}
