import URLLoadingSystem

/// The objects that all loads of a run share. Thread-safe.
final class FetchContext: Sendable {
  let plan: RequestPlan
  let options: OutputOptionValues
  let session: URLSession
  let interruption: Interruption
  /// Where several parallel loads show their progress; nil if none is shown.
  let board: ProgressBoard?
  /// The digests of `--checksum-file`; nil without that option.
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
