import URLLoadingSystem

/// The objects that all loads of a run share. Thread-safe.
final class FetchContext: Sendable {
  private let plan: RequestPlan
  /// The plans for the files of several `-T`, by the file.
  private let uploads: [String: RequestPlan]
  let options: OutputOptionValues
  let session: URLSession
  let interruption: Interruption
  /// Where several parallel loads show their progress; nil if none is shown.
  let board: ProgressBoard?
  /// The digests of `--checksum-file`; nil without that option.
  let checksums: ChecksumFile?
  let outputs = UnfinishedOutputs()

  init(
    plan: RequestPlan, uploads: [String: RequestPlan] = [:], options: OutputOptionValues, session: URLSession, interruption: Interruption,
    board: ProgressBoard?,
    checksums: ChecksumFile? = nil
  ) {
    self.checksums = checksums
    self.plan = plan
    self.uploads = uploads
    self.options = options
    self.session = session
    self.interruption = interruption
    self.board = board
  }

  /// The plan for a request that sends `file` (`-T`); nil for none.
  func plan(sending file: String?) -> RequestPlan { file.flatMap { uploads[$0] } ?? plan }
}
