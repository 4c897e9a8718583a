import Foundation
import URLLoadingSystem

/// One run of the tool: a session, and one fetch after the other through it.
struct FetchRun: Sendable {
  private let request: RequestOptions
  private let login: LoginOptions
  private let storage: StorageOptions
  private let output: OutputOptions
  private let transfer: TransferOptions
  private let console: Console

  init(request: RequestOptions, login: LoginOptions, storage: StorageOptions, output: OutputOptions, transfer: TransferOptions) {
    self.request = request
    self.login = login
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
    let identity = try ClientIdentity(login)
    let answers = ChallengeAnswers(
      login: try Login(login, ask: PasswordPrompt.ask), identity: identity, acceptsAnyServer: login.insecure)
    let configuration = configuration
    let cookies = try configuration.httpCookieStorage.map { storage throws(ToolFailure) in
      try CookieBox(self.storage, urls: urls, storage: storage)
    }
    let plan = RequestPlan(options: RequestOptionValues(request), content: content, answers: answers)
    let session = URLSession(configuration: configuration)
    let interruption = Interruption()
    var status = ExitStatus.success
    for url in urls {
      guard let failure = await fetch(url, plan, session, interruption) else { continue }
      if let signal = interruption.status { return signal }
      console.tell(failure)
      if status == .success { status = failure.status }
    }
    session.finishTasksAndInvalidate()
    await configuration.urlCache?.flush()
    try cookies?.save()
    return interruption.status ?? status
  }

  private func fetch(_ url: String, _ plan: RequestPlan, _ session: URLSession, _ interruption: Interruption) async -> ToolFailure? {
    do throws(ToolFailure) {
      let request = try plan.request(for: url)
      let options = OutputOptionValues(output, asksForHead: plan.options.asksForHead, followsRedirects: plan.options.followsRedirects)
      let transfer = try Transfer(request, plan, options, transfer.retryRules, try outputPlan(url, request, options), console)
      interruption.set(
        onCancel: { session.invalidateAndCancel() },
        onExit: { transfer.discard() })
      try await transfer.run(in: session, interruption)
      return nil
    } catch {
      return error
    }
  }

  private func outputPlan(_ url: String, _ request: URLRequest, _ options: OutputOptionValues) throws(ToolFailure) -> OutputPlan {
    var plan = OutputPlan(destination: output.destination, url: Masking.url(url), includesHead: options.includesHead)
    plan.continuation = transfer.continuation
    plan.checksum = transfer.checksum.flatMap(Checksum.init)
    // What is there must be found before there is a response that could suggest a name.
    if plan.continuation != .none, plan.destination == .suggestedName {
      let name = request.url?.lastPathComponent ?? ""
      guard !name.isEmpty, name != "/" else {
        throw ToolFailure(.malformedURL, "\(plan.url) has no file name to go on with; name the file with -o")
      }
      plan.destination = .file(name)
    }
    return plan
  }

  private var configuration: URLSessionConfiguration {
    // Nothing is remembered from one run to the next unless that is asked for: cookies serve within the run, a cache would serve nobody.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = storage.cache ? .shared : nil
    if storage.keepCookies { configuration.httpCookieStorage = .shared }
    // Whoever types http:// means it.
    configuration.appTransportSecurity = nil
    if let maxTime = request.maxTime { configuration.timeoutIntervalForResource = maxTime }
    if let connectTimeout = request.connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    return configuration
  }
}
