/// All options of `urlload URL`, by group.
struct LoadOptions: Sendable {
  var request = RequestOptions()
  var login = LoginOptions()
  var network = NetworkOptions()
  var storage = StorageOptions()
  var output = OutputOptions()
  var transfer = TransferOptions()
  var recording = RecordingOptions()
  var run = RunOptions()

  /// - Throws: If one of the values is wrong, whatever the others are, so that the error can be reported for the line of the value.
  func validateValues() throws(UsageError) {
    try request.validateValues()
    try login.validateValues()
    try network.validateValues()
    try storage.validateValues()
    try output.validateValues()
    try transfer.validateValues()
  }

  /// How many values repeatable options have, and the value that takes long to check: what has been validated before.
  struct Extent {
    fileprivate let headers: Int
    fileprivate let cookies: Int
    fileprivate let files: Int
    fileprivate let uploads: Int
    fileprivate let resolved: Int
    fileprivate let connected: Int
    fileprivate let pinnedKey: String?
  }

  var extent: Extent {
    Extent(
      headers: request.header.count, cookies: storage.cookie.count, files: output.files.count,
      uploads: request.uploadFiles.count, resolved: network.resolve.count, connected: network.connectTo.count, pinnedKey: login.pinnedKey)
  }

  /// Validates as `validateValues()`, but only values that were added after `known`, so that each of many values is checked once.
  func validateValues(behind known: Extent) throws(UsageError) {
    var added = self
    added.request.header = Array(request.header.dropFirst(known.headers))
    added.request.uploadFiles = Array(request.uploadFiles.dropFirst(known.uploads))
    added.storage.cookie = Array(storage.cookie.dropFirst(known.cookies))
    added.output.files = Array(output.files.dropFirst(known.files))
    added.network.resolve = Array(network.resolve.dropFirst(known.resolved))
    added.network.connectTo = Array(network.connectTo.dropFirst(known.connected))
    if login.pinnedKey == known.pinnedKey { added.login.pinnedKey = nil }
    try added.validateValues()
  }

  /// Validates each group of options, then the combinations of groups.
  func validate(urlCount: Int) throws(UsageError) {
    try request.validate()
    try login.validate()
    try network.validate()
    try storage.validate()
    try output.validate()
    try transfer.validate()
    if transfer.parallel > 1, urlCount > 1, output.destination == .standardOutput {
      throw UsageError("--parallel would mix the bodies on standard output; write them to files with -O.")
    }
    if request.uploads { try validateUpload() } else { try validateContinuation(urlCount) }
    if output.removesOnError, transfer.continuation != .none {
      throw UsageError("--remove-on-error removes what -C - continues; leave one of the two out.")
    }
    if request.etagCompare != nil || output.etagSave != nil, urlCount > 1 {
      throw UsageError("--etag-compare and --etag-save are about one URL; load each by a run of its own.")
    }
    if transfer.checksum != nil || transfer.checksumFile != nil {
      if urlCount > 1, transfer.checksum != nil {
        throw UsageError("--checksum is that of one body; --checksum-file names a file with those of several.")
      }
      if output.includesHead || request.asksForHead { throw UsageError("--checksum is that of a body alone; leave -i and -I out.") }
      if case .after = transfer.continuation, output.destination == .standardOutput {
        throw UsageError("--checksum needs the whole body; name a file with -o, or leave -C out.")
      }
    }
  }

  /// What is said about options that are left out of the requests.
  var complaints: [ToolFailure?] { [proxyFieldComplaint, codingFieldComplaint, storage.complaint, request.timeComplaint] }

  /// What is said about a given `Proxy-Authorization` field, which isn't sent to servers; nil if there is none, or the proxy gets its login.
  private var proxyFieldComplaint: ToolFailure? {
    guard request.fields.first(setting: "proxy-authorization") != nil, !network.takesProxyLogin(request.fields) else { return nil }
    return ToolFailure(.other, "Proxy-Authorization isn't sent; give the proxy's login with --proxy and --proxy-user")
  }

  /// What is said about a given `Transfer-Encoding` field, which the loader sets by itself; nil if there is none.
  private var codingFieldComplaint: ToolFailure? {
    guard request.fields.first(setting: "transfer-encoding") != nil else { return nil }
    return ToolFailure(
      .other, "Transfer-Encoding isn't sent as given: a body whose length isn't known is sent in chunks, such as that of -T -")
  }

  private func validateContinuation(_ urlCount: Int) throws(UsageError) {
    guard transfer.continuation != .none else { return }
    if request.asksForHead || output.includesHead {
      throw UsageError("-C goes on with a body, which has no heads in it; leave -i and -I out.")
    }
    if transfer.continuation == .found, output.destination == .standardOutput {
      throw UsageError("-C - and --segments need a file; name it with -o or -O.")
    }
    if case .after = transfer.continuation, urlCount > 1 { throw UsageError("-C with an offset goes with one URL only; use -C -.") }
    if request.isConditional {
      throw UsageError("-z and --etag-compare ask whether there is something new, and -C goes on with the old; leave one of the two out.")
    }
    if request.range != nil {
      throw UsageError("-r names the bytes that are wanted, and -C those that are there; leave one of the two out.")
    }
  }

  private func validateUpload() throws(UsageError) {
    if transfer.segments > 1 { throw UsageError("--segments divides what is received; leave it or -T out.") }
    if case .after = transfer.continuation {
      throw UsageError("With -T it is the server that says how much it has; give -C - without an offset.")
    }
    if transfer.continuation == .found, request.uploadFiles.contains("-") {
      throw UsageError("-C - can't go on with standard input, which is read once; name a file with -T.")
    }
  }
}

/// The options about the run itself.
struct RunOptions: Sendable {
  /// URLs given by `--url`.
  var urls: [String] = []
  var inputFiles: [String] = []
  var configFiles: [String] = []
  var ignoresConfig = false
  var isOffline = false
  var printsCurl = false
  /// The topic of `--help`, empty for the first page; nil without the option.
  var help: String?
  var showsVersion = false
  /// Options of `urlload sse`.
  var events = EventOptions()
}
