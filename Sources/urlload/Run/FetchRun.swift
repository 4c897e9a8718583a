import Dispatch
import Foundation
import URLLoadingSystem

/// One run of the tool: a session, and its loads.
struct FetchRun: Sendable {
  /// How long the end of the process waits for a terminal that takes nothing.
  private static let tellingLimit = DispatchTimeInterval.milliseconds(500)

  private let line: LoadOptions
  private let console: Console

  init(_ options: LoadOptions) {
    line = options
    console = Console(tellsErrors: options.output.tellsErrors, progress: options.output.progress)
  }

  /// Loads the URLs in order.
  /// - Returns: The status of the first that failed.
  func run(_ targets: [LoadTarget]) async -> ExitStatus {
    do throws(ToolFailure) {
      return try await load(targets)
    } catch {
      console.tell(error)
      return error.status
    }
  }

  /// - Throws: If what the options name can't be used. The failures of single URLs are told and returned.
  private func load(_ targets: [LoadTarget]) async throws(ToolFailure) -> ExitStatus {
    let urls = targets.map(\.url)
    var line = line
    let kept = try KeptSession(line.storage, urls: urls)
    kept?.apply(to: &line)
    let content = try SentContent(line.request)
    // Read once, as a pipe can be, whatever the number of loads.
    let format = try line.output.writeOut.map { argument throws(ToolFailure) in try WriteOut(argument) }
    if let cacert = line.login.cacert { try TrustFile.use(cacert) }
    let answers = try line.login.answers()
    let configuration = FetchRun(line).configuration
    // Before what the command line says of cookies, which then takes the place of what is kept.
    if let kept, let storage = configuration.httpCookieStorage { kept.fill(storage) }
    let cookies = try configuration.httpCookieStorage.map { storage throws(ToolFailure) in
      try RunCookies(line.storage, urls: urls, storage: storage)
    }
    let pace = line.transfer.limitRate.map { SharedPace(bytesPerSecond: $0) }
    let plan = RequestPlan(
      options: try RequestOptionValues(line.request, line.transfer, line.network), content: content, answers: answers, pace: pace)
    if line.run.isOffline { return try OfflineRequest.show(urls, plan, configuration) }
    var values = OutputOptionValues(
      line.output, asksForHead: plan.options.asksForHead, followsRedirects: plan.options.followsRedirects)
    values.heads = try line.output.headFile.map { path throws(ToolFailure) in try HeadFile(path) }
    values.pace = pace
    values.maxTime = line.request.maxTime
    try line.output.narrator(console)?.watch(configuration)
    let session = URLSession(configuration: configuration, delegate: RunDelegate(answers), delegateQueue: nil)
    let interruption = Interruption()
    let board =
      console.progress == .bar && urls.count > 1 && line.transfer.parallel > 1 && console.showsProgress && values.showsProgress
      ? ProgressBoard(console, count: urls.count) : nil
    let checksums = try line.transfer.checksumFile.map { path throws(ToolFailure) in try ChecksumFile(path) }
    let stage = FetchContext(
      plan: plan, options: values, session: session, interruption: interruption, board: board, checksums: checksums)
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

  /// Loads as many at once as is wanted, in order.
  /// - Returns: The failures, by the URL's place.
  private func load(_ targets: [LoadTarget], _ stage: FetchContext, _ format: WriteOut?) async -> [Int: ToolFailure] {
    await withTaskGroup(of: (Int, ToolFailure?).self) { group in
      var schedule = FetchSchedule(count: targets.count)
      // One doesn't hold up the others, such as by reading a file again for its checksum.
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
    // The report may have to wait for its reader.
    stage.outputs.note(failure, index)
    report.value.failure = failure
    return report.value.write(line.output, format) ?? failure
  }

  private func load(_ target: LoadTarget, _ index: Int, _ stage: FetchContext, _ report: Locked<LoadReport>) async -> ToolFailure? {
    do throws(ToolFailure) {
      let request = try stage.plan.request(for: target.url)
      report.value.request = request
      if stage.plan.options.sends == .upload, let url = request.url, url.isFileURL {
        try copy(to: url, index, stage, report)
        return nil
      }
      let output = try outputPlan(target, request, stage)
      if try await loadInSegments(request, output, stage, report) { return nil }
      let transfer = try Transfer(request, stage.plan, stage.options, line.transfer.retryOption, output, console, stage.board)
      stage.outputs.add(transfer, index)
      defer { report.value.take(transfer.outcome, savedAs: transfer.savedAs.value) }
      try await transfer.run(in: stage.session, stage.interruption)
      return nil
    } catch {
      return target.isCompleted ? error.ofCompletedURL(target.url) : error
    }
  }

  private func copy(to url: URL, _ index: Int, _ stage: FetchContext, _ report: Locked<LoadReport>) throws(ToolFailure) {
    let output = try Output(OutputPlan(destination: .file(url.path), source: URLIdentity(url.absoluteString)))
    stage.outputs.add(output, index)
    var copy = FileCopy(content: stage.plan.content, output: output, pace: stage.plan.pace, maxTime: stage.options.maxTime)
    defer { report.value.take(copied: copy.count, seconds: copy.elapsed) }
    try copy.run { stage.interruption.status }
  }

  /// - Returns: Whether it could be done so, and is.
  private func loadInSegments(
    _ request: URLRequest, _ output: OutputPlan, _ stage: FetchContext, _ report: Locked<LoadReport>
  ) async throws(ToolFailure) -> Bool {
    guard case .file(let path) = output.destination, output.continuation == .found,
      line.transfer.segments > 1 || PartFile.isSegmented(path), request.httpMethod == "GET"
    else { return false }
    // With -C -, what is there under its own name is a part only if its bytes show it, which one load after the other finds out.
    if line.transfer.continueAt != nil, PartFile.isWithoutPart(path) { return false }
    let segmented = try SegmentedTransfer(
      request, stage.plan, stage.options, line.transfer.retryOption, count: line.transfer.segments, path: path, output, console,
      stage.interruption, stage.board)
    var name: String?
    defer { report.value.take(segmented.outcome, savedAs: name) }
    guard try await segmented.run(in: stage.session) == .complete else { return false }
    name = segmented.path
    return true
  }

  private func outputPlan(_ target: LoadTarget, _ request: URLRequest, _ stage: FetchContext) throws(ToolFailure) -> OutputPlan {
    let output = line.output
    var plan = OutputPlan(
      destination: target.destination, source: URLIdentity(target.url, user: stage.plan.user(of: request)),
      includesHead: output.includesHead || line.request.asksForHead)
    plan.continuation = line.request.uploadFile == nil ? line.transfer.continuation : .none
    plan.checksum = line.transfer.checksum.flatMap(Checksum.init)
    plan.folder = output.folder
    plan.keepsFiles = output.keepsFiles
    if plan.destination == .standardOutput, plan.continuation == .none { plan.presentation = output.presentation }
    // What is there must be found before there is a response that could suggest a name.
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

  /// By the name of the file that is written, or else the URL's.
  private func checksum(in checksums: ChecksumFile, for plan: OutputPlan, _ request: URLRequest) throws(ToolFailure) -> Checksum {
    var names = [request.url?.lastPathComponent ?? ""]
    if case .file(let path) = plan.destination { names = [path, URL(filePath: path).lastPathComponent] + names }
    if let checksum = checksums.checksum(names) { return checksum }
    throw ToolFailure(
      .checksumMismatch, "\(line.transfer.checksumFile ?? "") has no digest for \(names.last.flatMap { $0.isEmpty ? nil : $0 } ?? plan.url)"
    )
  }

  /// What the session of a run is made of.
  var configuration: URLSessionConfiguration {
    // Nothing is remembered from one run to the next unless that is asked for: cookies serve within the run, and a cache would have no
    // reader.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = line.storage.cache ? .shared : nil
    if line.storage.keepCookies { configuration.httpCookieStorage = .shared }
    // http:// on the command line is meant.
    configuration.appTransportSecurity = nil
    configuration.proxySettings = line.network.proxySettings
    // As with curl, a field that is given counts in the place of what is stored, for the redirects as well.
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
  /// How challenges are answered.
  /// - Throws: If a file can't be read, or a password asked for.
  func answers() throws(ToolFailure) -> ChallengeAnswers {
    let login = try Login(self, ask: PasswordPrompt.ask)
    return ChallengeAnswers(
      login: login, netrc: login == nil ? try NetrcFile(self) : nil, bearer: bearer, pinned: try PinnedKeys(self),
      identity: try IdentityFile(self), acceptsAnyServer: insecure, scheme: scheme)
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
  /// The failure of a URL whose scheme was added: without TLS the server may be there.
  func ofCompletedURL(_ url: String) -> ToolFailure {
    guard url.hasPrefix("https://"), status == .cannotConnect || status == .secureConnectionFailed else { return self }
    return ToolFailure(
      status, "\(message); the URL had no scheme and was taken for https: write http:// if the server has no TLS", transience)
  }
}
