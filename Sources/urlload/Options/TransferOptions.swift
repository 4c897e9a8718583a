import ArgumentParser

/// How files are moved, as given on the command line.
struct TransferOptions: ParsableArguments {
  @Option(
    name: [.customShort("C"), .long], parsing: .unconditional,
    help: ArgumentHelp(
      "Go on after this many bytes, or - for as many as are there: FILE.part, or a part of FILE. What is there is checked "
        + "first. With -T, - goes on with an interrupted upload, if the server keeps it.",
      valueName: "-|offset"))
  var continueAt: String?

  @Option(help: ArgumentHelp("Try again so often after a broken transfer, a timeout, or a status of 408, 429 or 5xx.", valueName: "count"))
  var retry = 0

  @Option(help: ArgumentHelp("Seconds between tries. Default: 1, 2, 4 and so on, or what the server asks for.", valueName: "seconds"))
  var retryDelay: Double?

  @Option(help: ArgumentHelp("Seconds after which no other try begins.", valueName: "seconds"))
  var retryMaxTime: Double?

  @Option(
    help: ArgumentHelp("The digest that the body must have: sha256, sha512, sha384, sha1 or md5.", valueName: "algorithm:hex"))
  var checksum: String?

  @Option(help: ArgumentHelp("Load so many URLs at once instead of one after the other.", valueName: "count"))
  var parallel = 1

  @Option(
    help: ArgumentHelp("Load a file in so many ranges at once, and go on with each of them if they are there.", valueName: "count"))
  var segments = 1

  mutating func validate() throws {
    if !(1...100 ~= parallel) { throw ValidationError("--parallel takes a number from 1 to 100.") }
    if !(1...32 ~= segments) { throw ValidationError("--segments takes a number from 1 to 32.") }
    if segments > 1, let continueAt, continueAt != "-" {
      throw ValidationError("--segments finds out itself what is there; leave the offset of -C out.")
    }
    if let continueAt, continueAt != "-", Int64(continueAt).map({ $0 < 0 }) ?? true {
      throw ValidationError("-C takes a number of bytes, or - to find it out from the file.")
    }
    if retry < 0 { throw ValidationError("--retry takes a number of 0 and above.") }
    for (name, value) in [("--retry-delay", retryDelay), ("--retry-max-time", retryMaxTime)] {
      if let value, !(value >= 0 && value.isFinite) { throw ValidationError("\(name) takes a number of seconds of 0 and above.") }
    }
    if let checksum, Checksum(checksum) == nil {
      throw ValidationError("--checksum takes an algorithm (sha256, sha512, sha384, sha1, md5), a colon and the digest in hexadecimal.")
    }
  }

  /// What may be there already.
  var continuation: Continuation {
    guard let continueAt else { return segments > 1 ? .found : .none }
    return Int64(continueAt).map(Continuation.after) ?? .found
  }

  var retryOption: RetryOption { RetryOption(count: retry, delay: retryDelay, limit: retryMaxTime) }
}
