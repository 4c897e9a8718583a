import Dispatch
import Foundation
import URLLoadingSystem

/// One run of the tool: makes a session, and loads the URLs with it.
struct FetchRun: Sendable {
  /// Longest time that the end of the process waits for messages to be written to a terminal that doesn't take them.
  private static let tellingLimit = DispatchTimeInterval.milliseconds(500)

  private let line: LoadOptions
  private let console: Console

  init(_ options: LoadOptions) {
    line = options
    console = Console(tellsErrors: options.output.tellsErrors, progress: options.output.progress)
  }

  /// Loads the URLs in order.
  /// - Returns: The exit code of the first URL that has failed, or success.
  func run(_ targets: [LoadTarget]) async -> ExitStatus {
    do throws(ToolFailure) {
      return try await load(targets)
    } catch {
      console.tell(error)
      return error.status
    }
  }

  /// - Throws: If a value of the options can't be used. Failures of single URLs are reported, and returned as an exit code.
  private func load(_ targets: [LoadTarget]) async throws(ToolFailure) -> ExitStatus {
    let urls = targets.map(\.url)
    let kept = try KeptSession(line.storage, urls: urls)
    for complaint in [kept?.complaint] + line.complaints { if let complaint { console.tell(complaint) } }
    var uploads: [String: SentContent] = [:]
    for file in line.request.uploadFiles where uploads[file] == nil { uploads[file] = try SentContent(file: file) }
    let content = if let first = line.request.uploadFiles.first.flatMap({ uploads[$0] }) { first } else { try SentContent(line.request) }
    // The format of `-w` is read once, because its file may be a pipe.
    let format = try line.output.writeOut.map { argument throws(ToolFailure) in try WriteOut(argument) }
    // As by curl, these are told with `-s` as well.
    for complaint in format?.complaints ?? [] { console.line("urlload: \(Printable.text(complaint))") }
    if let cacert = line.login.cacert { try TrustFile.use(cacert) }
    let answers = try line.login.answers(kept)
    let configuration = configuration
    // Cookies of `--session` are set before those of the command line, which replace them.
    if let kept, let storage = configuration.httpCookieStorage { kept.fill(storage) }
    let cookies = try configuration.httpCookieStorage.map { storage throws(ToolFailure) in
      try RunCookies(line.storage, urls: urls, storage: storage)
    }
    let pace = line.transfer.limitRate.map { SharedPace(bytesPerSecond: $0) }
    let plan = RequestPlan(
      options: try RequestOptionValues(line.request, line.transfer, line.network), content: content, answers: answers, pace: pace,
      kept: kept?.fields ?? ServerTable(), family: line.network.familyRule)
    let plans = Dictionary(uniqueKeysWithValues: uploads.map { ($0, plan.sending($0, $1)) })
    if line.run.isOffline {
      return try OfflineRequest.show(targets.map { ($0.url, $0.upload.flatMap { plans[$0] } ?? plan) }, configuration)
    }
    var values = OutputOptionValues(
      line.output, asksForHead: plan.options.asksForHead, followsRedirects: plan.options.followsRedirects)
    values.heads = try line.output.headFile.map { path throws(ToolFailure) in try HeadFile(path) }
    values.pace = pace
    values.maxTime = line.request.maxTime
    try line.output.narrator(console)?.watch(configuration)
    let session = URLSession(configuration: configuration, delegate: RunDelegate(plan), delegateQueue: nil)
    let interruption = Interruption()
    let board =
      console.progress == .bar && urls.count > 1 && line.transfer.parallel > 1 && console.showsProgress && values.showsProgress
      ? ProgressBoard(console, count: urls.count) : nil
    let checksums = try line.transfer.checksumFile.map { path throws(ToolFailure) in try ChecksumFile(path) }
    let stage = FetchContext(
      plan: plan, uploads: plans, options: values, session: session, interruption: interruption, board: board, checksums: checksums)
    interruption.set(
      onCancel: { session.invalidateAndCancel() },
      onExit: { [console] isRepeated in
        stage.outputs.discard(waits: !isRepeated) { console.tell(ToolFailure(.writeFailed, $0)) }
        stage.outputs.finishTelling(within: FetchRun.tellingLimit)
      })
    let failures = await load(targets, stage, format)
    if !failures.isEmpty, let signal = interruption.status { return signal }
    let status = failures.min { $0.key < $1.key }?.value.status ?? .success
    session.finishTasksAndInvalidate()
    await configuration.urlCache?.flush()
    try cookies?.save()
    if let storage = cookies?.storage { try kept?.save(line, storage) }
    return interruption.status ?? status
  }

  /// Loads the URLs in order, several at once with `-Z`.
  /// - Returns: The failures, by the URL's index.
  private func load(_ targets: [LoadTarget], _ stage: FetchContext, _ format: WriteOut?) async -> [Int: ToolFailure] {
    await withTaskGroup(of: (Int, ToolFailure?).self) { group in
      var schedule = FetchSchedule(count: targets.count)
      // With `-Z`, loads run on the concurrent executor, so that one load's blocking work, such as a checksum, doesn't delay the others.
      let executor: any TaskExecutor = globalConcurrentExecutor
      let preference = line.transfer.parallel > 1 ? executor : nil
      func begin() {
        guard let index = schedule.next() else { return }
        group.addTask(executorPreference: preference) { (index, await load(targets[index], index, stage, format)) }
      }
      for _ in 0..<line.transfer.parallel { begin() }
      while let (index, failure) = await group.next() {
        switch schedule.ended(index, failure, isInterrupted: stage.interruption.status != nil) {
        case .nothing: break
        case .failure(let failure):
          stage.outputs.tell(failure.message, isRepeated: true) {
            console.tell(failure, about: targets.count > 1 ? targets[index].url : nil)
          }
        case .unlessTold(let failure): stage.outputs.tell(failure.message, isRepeated: false) { console.tell(failure) }
        }
        stage.outputs.remove(index)
        begin()
      }
      return schedule.failures
    }
  }

  private func load(_ target: LoadTarget, _ index: Int, _ stage: FetchContext, _ format: WriteOut?) async -> ToolFailure? {
    let report = Locked(LoadReport(target))
    let failure = await load(target, index, stage, report)
    // Noted before the report is written, because that may block on its reader while a signal ends the process.
    stage.outputs.note(failure, index)
    report.value.failure = failure
    report.value.dropsBody = failure?.status == .httpFailure && !line.output.failWithBody
    return report.value.write(line.output, format) ?? failure
  }

  private func load(_ target: LoadTarget, _ index: Int, _ stage: FetchContext, _ report: Locked<LoadReport>) async -> ToolFailure? {
    do throws(ToolFailure) {
      let plan = stage.plan(sending: target.upload)
      let request = try plan.request(for: target.url)
      report.value.request = request
      if plan.options.sends == .upload, let url = request.url, url.isFileURL {
        try copy(plan, to: url, index, stage, report)
        return nil
      }
      let output = try outputPlan(target, request, plan, stage)
      if try await loadInSegments(request, plan, output, stage, report) { return nil }
      let transfer = try Transfer(request, plan, stage.options, line.transfer.retryOption, output, console, stage.board)
      stage.outputs.add(transfer, index)
      defer { report.value.take(transfer.outcome, retries: transfer.retries.value, savedAs: transfer.savedAs.value) }
      try await transfer.run(in: stage.session, stage.interruption)
      try facts.keep(transfer.outcome?.response, transfer.savedAs.value)
      return nil
    } catch {
      return target.isCompleted ? error.ofCompletedURL(target.url) : error
    }
  }

  private func copy(
    _ plan: RequestPlan, to url: URL, _ index: Int, _ stage: FetchContext, _ report: Locked<LoadReport>
  ) throws(ToolFailure) {
    let output = try Output(OutputPlan(destination: .file(url.path), source: URLIdentity(url.absoluteString)))
    stage.outputs.add(output, index)
    var copy = FileCopy(content: plan.content, output: output, pace: plan.pace, maxTime: stage.options.maxTime)
    defer { report.value.take(copied: copy.count, seconds: copy.elapsed) }
    try copy.run { stage.interruption.status }
  }

  /// Loads the URL in several ranges at once, if the options ask for that.
  /// - Returns: Whether this was possible, and is done; otherwise the URL must be loaded as a whole.
  private func loadInSegments(
    _ request: URLRequest, _ plan: RequestPlan, _ output: OutputPlan, _ stage: FetchContext, _ report: Locked<LoadReport>
  ) async throws(ToolFailure) -> Bool {
    guard case .file(let path) = output.destination, output.continuation == .found,
      line.transfer.segments > 1 || PartFile.isSegmented(path), request.httpMethod == "GET"
    else { return false }
    // With `-C -`, a file under its final name may be a part: whether it is can only be found out by comparing bytes, which the ordinary load does.
    if line.transfer.continueAt != nil, PartFile.isWithoutPart(path) { return false }
    let segmented = try SegmentedTransfer(
      request, plan, stage.options, line.transfer.retryOption, count: line.transfer.segments, path: path, output, console,
      stage.interruption, stage.board)
    var name: String?
    defer { report.value.take(segmented.outcome, savedAs: name) }
    name = try await segmented.run(in: stage.session)
    if name != nil { try facts.keep(segmented.outcome.last?.response, name) }
    return name != nil
  }

  private var facts: KeptFacts { KeptFacts(etagFile: line.output.etagSave, keepsTime: line.output.keepsTime) }

  private func outputPlan(
    _ target: LoadTarget, _ request: URLRequest, _ requests: RequestPlan, _ stage: FetchContext
  ) throws(ToolFailure) -> OutputPlan {
    let output = line.output
    var plan = OutputPlan(
      destination: target.destination, source: URLIdentity(target.url, user: requests.user(of: request)),
      includesHead: output.includesHead || line.request.asksForHead)
    plan.continuation = line.request.uploads ? .none : line.transfer.continuation
    // A file under its final name is a part only with `-C`: `--segments` alone replaces it.
    plan.adoption = line.transfer.continueAt == nil ? .partOnly : .ownName
    plan.checksum = line.transfer.checksum.flatMap(Checksum.init)
    plan.folder = output.folder
    plan.keepsFiles = output.keepsFiles
    if plan.destination == .standardOutput, plan.continuation == .none { plan.presentation = output.presentation }
    // A part can only be found by a name that is known before the response.
    if plan.destination == .remoteName || plan.continuation != .none && plan.destination == .suggestedName {
      if let name = RemoteName(of: request.url) {
        plan.destination = .file(name.name)
        plan.mayReplace = name.isExact
      } else if plan.continuation != .none {
        throw ToolFailure(.malformedURL, "\(plan.url) has no file name to go on with; name the file with -o")
      }
    }
    if let checksums = stage.checksums { plan.checksum = try checksum(in: checksums, for: plan, request) }
    if case .file(let name) = plan.destination { plan.destination = .file(plan.path(name)) }
    if output.createsFolders { try plan.createFolders() }
    return plan
  }

  /// The digest in `--checksum-file` for the name of the written file, or else the name in the URL.
  private func checksum(in checksums: ChecksumFile, for plan: OutputPlan, _ request: URLRequest) throws(ToolFailure) -> Checksum {
    var names = [request.url?.lastPathComponent ?? ""]
    if case .file(let path) = plan.destination { names = [path, URL(filePath: path).lastPathComponent] + names }
    if let checksum = checksums.checksum(names) { return checksum }
    throw ToolFailure(
      .checksumMismatch, "\(line.transfer.checksumFile ?? "") has no digest for \(names.last.flatMap { $0.isEmpty ? nil : $0 } ?? plan.url)"
    )
  }

  /// The configuration of the run's session.
  var configuration: URLSessionConfiguration {
    // Nothing is kept from run to run unless an option asks for it: cookies work within the run, and there is no cache.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = line.storage.cache ? .shared : nil
    if line.storage.keepCookies { configuration.httpCookieStorage = .shared }
    // The user decides on http:// by writing it: App Transport Security doesn't apply.
    configuration.appTransportSecurity = nil
    configuration.proxySettings = line.network.takingProxyLogin(line.request.fields).proxySettings
    // As in curl, a `Cookie` field on the command line replaces stored cookies, also after redirects.
    configuration.httpShouldSetCookies = !line.request.givesCookies
    configuration.httpVersions = line.network.httpVersions
    try? NamePlaces(line.network).apply(to: configuration)
    configuration.enablesEarlyData = line.network.sendsEarlyData
    configuration.httpMaximumConnectionsPerHost = max(
      configuration.httpMaximumConnectionsPerHost, line.transfer.parallel * line.transfer.segments)
    if let maxTime = line.request.maxTime { configuration.timeoutIntervalForResource = maxTime }
    if let connectTimeout = line.request.connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    if let oldest = line.network.oldestTLS { configuration.tlsMinimumSupportedProtocolVersion = oldest.protocolVersion }
    if let newest = line.network.newestTLS {
      configuration.tlsMaximumSupportedProtocolVersion = newest.protocolVersion
      if line.network.oldestTLS == nil, newest < .tls12 { configuration.tlsMinimumSupportedProtocolVersion = newest.protocolVersion }
    }
    return configuration
  }
}

extension LoginOptions {
  /// The answers to challenges that the options determine, and the logins that a session has kept.
  /// - Throws: If a file can't be read, or the password can't be asked for.
  func answers(_ session: KeptSession? = nil) throws(ToolFailure) -> ChallengeAnswers {
    let login = try Login(self, ask: PasswordPrompt.ask)
    return ChallengeAnswers(
      login: login, kept: try session?.logins(besides: self, ask: PasswordPrompt.ask) ?? ServerTable(),
      netrc: login == nil ? try NetrcFile(self) : nil, bearer: bearer, pinned: try PinnedKeys(self), identity: try IdentityFile(self),
      acceptsAnyServer: insecure, scheme: scheme)
  }
}

extension TLSVersionChoice {
  var protocolVersion: tls_protocol_version_t {
    switch self {
    case .tls10: .TLSv10
    case .tls11: .TLSv11
    case .tls12: .TLSv12
    case .tls13: .TLSv13
    }
  }
}

extension ToolFailure {
  /// Adds to the failure of a URL whose scheme was added as https that the server may have no TLS.
  func ofCompletedURL(_ url: String) -> ToolFailure {
    guard url.hasPrefix("https://"), status == .cannotConnect || status == .secureConnectionFailed else { return self }
    return ToolFailure(
      status, "\(message); the URL had no scheme and was taken for https: write http:// if the server has no TLS", transience)
  }
}
