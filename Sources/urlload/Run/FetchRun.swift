import Foundation
import URLLoadingSystem

/// One run of the tool: a session, and its loads.
struct FetchRun: Sendable {
  private let request: RequestOptions
  private let login: LoginOptions
  private let network: NetworkOptions
  private let storage: StorageOptions
  private let output: OutputOptions
  private let transfer: TransferOptions
  private let console: Console

  init(
    request: RequestOptions, login: LoginOptions, network: NetworkOptions, storage: StorageOptions, output: OutputOptions,
    transfer: TransferOptions
  ) {
    self.request = request
    self.login = login
    self.network = network
    self.storage = storage
    self.output = output
    self.transfer = transfer
    console = Console(tellsErrors: output.tellsErrors)
  }

  /// Loads the URLs in order.
  /// - Returns: The status of the first that failed.
  func run(_ urls: [String]) async -> ExitStatus {
    do throws(ToolFailure) {
      return try await load(urls)
    } catch {
      console.tell(error)
      return error.status
    }
  }

  /// - Throws: If what the options name can't be used. The failures of single URLs are told and returned.
  private func load(_ urls: [String]) async throws(ToolFailure) -> ExitStatus {
    let content = try SentContent(request)
    if let cacert = login.cacert { try TrustFile.use(cacert) }
    let identity = try IdentityFile(login)
    let answers = ChallengeAnswers(
      login: try Login(login, ask: PasswordPrompt.ask), identity: identity, acceptsAnyServer: login.insecure)
    let configuration = configuration
    let cookies = try configuration.httpCookieStorage.map { storage throws(ToolFailure) in
      try RunCookies(self.storage, urls: urls, storage: storage)
    }
    let plan = RequestPlan(options: RequestOptionValues(request, transfer, network), content: content, answers: answers)
    let session = URLSession(configuration: configuration, delegate: RunDelegate(answers), delegateQueue: nil)
    let interruption = Interruption()
    let board =
      urls.count > 1 && transfer.parallel > 1 && console.showsProgress && !output.silent
      ? ProgressBoard(console, count: urls.count) : nil
    let stage = FetchContext(plan: plan, session: session, interruption: interruption, board: board)
    interruption.set(onCancel: { session.invalidateAndCancel() }, onExit: { stage.discard() })
    let failures = await load(urls, stage)
    if !failures.isEmpty, let signal = interruption.status { return signal }
    let status = failures.min { $0.key < $1.key }?.value.status ?? .success
    session.finishTasksAndInvalidate()
    await configuration.urlCache?.flush()
    try cookies?.save()
    return interruption.status ?? status
  }

  /// Loads as many at once as is wanted, in order.
  /// - Returns: The failures, by the URL's place.
  private func load(_ urls: [String], _ stage: FetchContext) async -> [Int: ToolFailure] {
    await withTaskGroup(of: (Int, ToolFailure?).self) { group in
      var rest = Array(urls.enumerated())[...]
      var failures: [Int: ToolFailure] = [:]
      func begin() {
        guard let (index, url) = rest.popFirst() else { return }
        group.addTask { (index, await load(url, stage)) }
      }
      for _ in 0..<transfer.parallel { begin() }
      while let (index, failure) = await group.next() {
        failures[index] = failure
        if stage.interruption.status != nil, failure != nil { return failures }
        if let failure { console.tell(failure) }
        begin()
      }
      return failures
    }
  }

  private func load(_ url: String, _ stage: FetchContext) async -> ToolFailure? {
    do throws(ToolFailure) {
      let request = try stage.plan.request(for: url)
      let options = OutputOptionValues(
        output, asksForHead: stage.plan.options.asksForHead, followsRedirects: stage.plan.options.followsRedirects)
      let output = try outputPlan(url, request, options)
      if try await loadInSegments(request, options, output, stage) { return nil }
      let transfer = try Transfer(request, stage.plan, options, transfer.retryOption, output, console, stage.board)
      stage.add(transfer)
      defer { stage.remove(transfer) }
      try await transfer.run(in: stage.session, stage.interruption)
      return nil
    } catch {
      return error
    }
  }

  /// - Returns: Whether it could be done so, and is.
  private func loadInSegments(
    _ request: URLRequest, _ options: OutputOptionValues, _ output: OutputPlan, _ stage: FetchContext
  ) async throws(ToolFailure) -> Bool {
    guard case .file(let path) = output.destination, output.continuation == .found,
      transfer.segments > 1 || PartFile.isSegmented(path), request.httpMethod == "GET"
    else { return false }
    let segmented = try SegmentedTransfer(
      request, stage.plan, options, transfer.retryOption, count: transfer.segments, path: path, output, console, stage.interruption,
      stage.board)
    return try await segmented.run(in: stage.session) == .complete
  }

  private func outputPlan(_ url: String, _ request: URLRequest, _ options: OutputOptionValues) throws(ToolFailure) -> OutputPlan {
    var plan = OutputPlan(destination: output.destination, url: Masking.url(url), includesHead: options.includesHead)
    plan.continuation = self.request.uploadFile == nil ? transfer.continuation : .none
    plan.checksum = transfer.checksum.flatMap(Checksum.init)
    // What is there must be found before there is a response that could suggest a name.
    if plan.destination == .remoteName || plan.continuation != .none && plan.destination == .suggestedName {
      if let name = RemoteName(of: request.url) {
        plan.destination = .file(name.name)
        plan.mayReplace = name.isExact
      } else if plan.continuation != .none {
        throw ToolFailure(.malformedURL, "\(plan.url) has no file name to go on with; name the file with -o")
      }
    }
    return plan
  }

  private var configuration: URLSessionConfiguration {
    // Nothing is remembered from one run to the next unless that is asked for: cookies serve within the run, and a cache would have no
    // reader.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = storage.cache ? .shared : nil
    if storage.keepCookies { configuration.httpCookieStorage = .shared }
    // http:// on the command line is meant.
    configuration.appTransportSecurity = nil
    configuration.proxySettings = network.proxySettings
    configuration.httpVersions = network.httpVersions
    try? NamePlaces(network).apply(to: configuration)
    configuration.enablesEarlyData = network.sendsEarlyData
    configuration.httpMaximumConnectionsPerHost = max(configuration.httpMaximumConnectionsPerHost, transfer.parallel * transfer.segments)
    if let maxTime = request.maxTime { configuration.timeoutIntervalForResource = maxTime }
    if let connectTimeout = request.connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    return configuration
  }
}
