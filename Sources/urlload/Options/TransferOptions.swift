/// The options about large and many files, as given on the command line.
struct TransferOptions: Sendable {
  /// Number of URLs that are loaded at once with `-Z`, and the range that may be asked for.
  static let parallelDefault = 50
  static let parallelRange = 1...100

  var continueAt: String?
  var retry = 0
  var retryDelay: Double?
  var retryMaxTime: Double?
  var retriesAllErrors = false
  var checksum: String?
  var checksumFile: String?
  /// The value of `--parallel`; nil to load one URL after the other.
  var parallelCount: Int?
  var parallelMaximum: Int?
  var segments = 1
  /// The value of `--limit-rate` in bytes a second; nil for no limit.
  var limitRate: Int64?

  /// - Throws: If one of the values is wrong, whatever the other options are.
  func validateValues() throws(UsageError) {
    if let continueAt, continueAt != "-", Int64(continueAt).map({ $0 < 0 }) ?? true {
      throw UsageError("-C takes a number of bytes, or - to find it out from the file.")
    }
    if let checksum, Checksum(checksum) == nil {
      throw UsageError("--checksum takes an algorithm (sha256, sha512, sha384, sha1, md5), a colon and the digest in hexadecimal.")
    }
  }

  func validate() throws(UsageError) {
    try validateValues()
    if segments > 1, let continueAt, continueAt != "-" {
      throw UsageError("--segments finds out itself what is there; leave the offset of -C out.")
    }
    if checksum != nil, checksumFile != nil {
      throw UsageError("--checksum and --checksum-file both say what the body must be; leave one of the two out.")
    }
  }

  /// How many URLs are loaded at once.
  var parallel: Int { parallelCount.map { parallelMaximum ?? $0 } ?? 1 }

  /// What part of the body exists already, which the load continues.
  var continuation: Continuation {
    guard let continueAt else { return segments > 1 ? .found : .none }
    return Int64(continueAt).map(Continuation.after) ?? .found
  }

  var retryOption: RetrySchedule {
    RetrySchedule(count: retry, delay: retryDelay, limit: retryMaxTime, retriesAllErrors: retriesAllErrors)
  }
}
