import URLLoadingSystem

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
  let outputs = UnfinishedOutputs()

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
}
