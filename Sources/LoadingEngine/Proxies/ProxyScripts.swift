import Foundation
import HTTPPolicy
import HTTPTransport
import LoadingModel
import NIOCore

/// The proxy script of one session: fetched once, asked once for each origin. Owned by the session; confined to its event loop.
final class ProxyScripts: @unchecked Sendable {
  // @unchecked: confined to the session's event loop.
  private enum State {
    case unknown
    case fetching([UnsafeContinuation<Result<ProxyScriptProcess, LoadError>, Never>])
    case ready(ProxyScriptProcess)
  }

  private struct Answer {
    let text: String
    let given: Instant
  }

  /// Seconds for which an answer is good: networks change, and scripts look at addresses.
  private static let lifetime = 300.0
  /// Origins whose answers are kept.
  private static let limit = 1000

  private let script: ProxySettings.Script
  private let settings: LoadSettings
  private let executor: LoopExecutor
  private var state = State.unknown
  private var answers: [Origin: Answer] = [:]
  /// Questions that the script hasn't answered yet: loads for the same origin share one.
  private var questions: [Origin: Task<Result<String, LoadError>, Never>] = [:]

  /// - Parameter settings: Those of the session: the script is fetched with its TLS and its clock, but directly and with nothing else of it.
  init(_ script: ProxySettings.Script, _ settings: LoadSettings, _ executor: LoopExecutor) {
    self.script = script
    self.executor = executor
    var own = LoadSettings(tls: settings.tls, userAgent: settings.userAgent)
    own.clock = settings.clock
    own.tlsPolicy = settings.tlsPolicy
    own.requestTimeout = min(settings.requestTimeout, 30)
    // The networks are the loads', and so is the wait for them.
    own.network = settings.network
    own.networkAccess = settings.networkAccess
    own.waitsForConnectivity = settings.waitsForConnectivity
    own.resourceTimeout = settings.waitsForConnectivity ? settings.resourceTimeout : 60
    self.settings = own
  }

  func answer(for origin: Origin, _ context: LoadContext) async throws(LoadError) -> String {
    guard ProxyScriptProcess.isAvailable else {
      throw ProxyScriptProcess.failure("this build can't run scripts; build with the package trait PAC, or name the proxy itself")
    }
    if let known = answers[origin], context.clock.now < known.given.advanced(bySeconds: ProxyScripts.lifetime) { return known.text }
    let process = try await fetched(context).get()
    let question = questions[origin] ?? Task { await process.answer(for: origin) }
    questions[origin] = question
    let result = try await AppWait<Result<String, LoadError>>.disk(context) { await question.value }
    if questions[origin] == question {
      questions[origin] = nil
      if case .success(let text) = result {
        if answers.count >= ProxyScripts.limit { answers.removeAll() }
        answers[origin] = Answer(text: text, given: context.clock.now)
      }
    }
    return try result.get()
  }

  /// The networks have changed: what the script said, and which script it is, may depend on them. Loads under way keep what they have.
  func networksChanged() {
    answers = [:]
    questions = [:]
    if case (.ready, .url) = (state, script) { state = .unknown }
  }

  /// The script's process. A load that waits for connectivity waits for the script as well, with no more than the resource's timeout.
  private func fetched(_ context: LoadContext) async throws(LoadError) -> Result<ProxyScriptProcess, LoadError> {
    guard settings.waitsForConnectivity else {
      return try await AppWait<Result<ProxyScriptProcess, LoadError>>.disk(context) { await self.process() }
    }
    return try await AppWait<Result<ProxyScriptProcess, LoadError>>.ask(context) { wait in
      Task { wait.answer(await self.process()) }
    }
  }

  private func process() async -> Result<ProxyScriptProcess, LoadError> {
    await withUnsafeContinuation { continuation in
      executor.eventLoop.execute { self.whenReady(continuation) }
    }
  }

  private func whenReady(_ continuation: UnsafeContinuation<Result<ProxyScriptProcess, LoadError>, Never>) {
    switch (state, script) {
    case (.ready(let process), _): continuation.resume(returning: .success(process))
    case (.fetching(let others), _): state = .fetching(others + [continuation])
    case (.unknown, .source(let source)):
      let process = ProxyScriptProcess(source)
      state = .ready(process)
      continuation.resume(returning: .success(process))
    case (.unknown, .url(let url)):
      state = .fetching([continuation])
      fetch(url)
    }
  }

  private func fetch(_ url: URL) {
    let session = LoadSession(settings)
    let request = LoadRequest(url: url)
    let context = session.makeContext(request)
    let client = ProxyScriptClient { [self] result in
      session.onLoop { session.end() }
      executor.eventLoop.execute { self.fetched(result) }
    }
    session.start(request, context, client)
  }

  /// A script that couldn't be fetched is asked for again by the next load.
  private func fetched(_ result: Result<String, LoadError>) {
    guard case .fetching(let waiting) = state else { return }
    let process = result.map { ProxyScriptProcess($0) }
    if case .success(let process) = process { state = .ready(process) } else { state = .unknown }
    for continuation in waiting { continuation.resume(returning: process) }
  }
}

/// Collects a script.
private final class ProxyScriptClient: LoadClient, @unchecked Sendable {
  // @unchecked: confined to the event loop of the session that fetches.

  /// Bytes of a script.
  private static let limit = 1 << 20

  private let ended: @Sendable (Result<String, LoadError>) -> Void
  private var body = ByteBuffer()

  init(_ ended: @escaping @Sendable (Result<String, LoadError>) -> Void) { self.ended = ended }

  var collectsBody: Bool { false }
  var mayHaveCustomProtocol: Bool { false }
  func customProtocol(for request: LoadRequest) async -> (any ProtocolHandler)? { nil }
  func requestChanged(_ request: LoadRequest) {}
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest? { request }
  func didReceive(informational response: LoadResponse) {}
  func appCookieField(for request: LoadRequest) async throws(LoadError) -> String? { nil }
  func storeAppCookies(_ fields: [String], for request: LoadRequest) async throws(LoadError) {}
  func newBodyStream(from offset: Int64) async -> LoadRequest.Body { .none }
  func willSendBody(expected: Int64) {}
  func didSendBody(bytes: Int64, total: Int64, expected: Int64) {}
  func didReceive(response: LoadResponse) -> Bool { false }
  func askDisposition() async throws(LoadError) {}
  func didCollect(bytes: Int) {}
  var reviewsCaching: Bool { false }
  func review(_ proposal: CacheProposal) async -> CacheProposal? { nil }

  func didReceive(body piece: ByteBuffer) async throws(LoadError) {
    guard body.readableBytes + piece.readableBytes <= ProxyScriptClient.limit else {
      throw ProxyScriptProcess.failure("it is longer than 1 MiB")
    }
    body.writeImmutableBuffer(piece)
  }

  func didFinish(_ result: LoadResult) {
    if let error = result.error {
      // Without a network nobody is to blame for it.
      if error.kind == .notConnectedToInternet { return ended(.failure(error)) }
      // The script's own trouble is in the message; what the load was for has another cause.
      return ended(.failure(error.proxy == nil ? ProxyScriptProcess.failure("it couldn't be fetched: \(error.message)") : error))
    }
    if let status = result.response?.status, !(200...299).contains(status) {
      return ended(.failure(ProxyScriptProcess.failure("it couldn't be fetched: the server answered \(status)")))
    }
    ended(.success(String(buffer: body)))
  }
}
