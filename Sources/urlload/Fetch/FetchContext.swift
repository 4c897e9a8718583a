import LoadingModel
import URLLoadingSystem

/// An output that is given up where the run is.
protocol UnfinishedOutput: AnyObject, Sendable {
  /// Ends it without completing it.
  /// - Returns: What is left to tell; nil for nothing.
  @discardableResult
  func discard() -> String?
  /// Waits until a file that is being written over is complete.
  func finishOverwriting()
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
  /// Messages of outputs that have been told since a signal came.
  private let told = Mutex<Set<String>>([])

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
  /// - Parameter waits: Whether files that are being written over are completed first: half of them would be of no use to anyone.
  /// - Returns: What is left to tell.
  func discard(waits: Bool) -> [String] {
    outputs.withLock { $0 }.compactMap { output in
      if waits { output.finishOverwriting() }
      return output.discard().flatMap { mayTell($0) ? $0 : nil }
    }
  }

  /// Whether the message of an output, which the end of its load and `discard` both have, is still to be told: true once.
  func mayTell(_ message: String) -> Bool { !message.isEmpty && told.withLock { $0.insert(message).inserted } }
}
