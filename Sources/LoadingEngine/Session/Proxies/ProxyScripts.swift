import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules

/// The proxy script of one session: fetched once, and asked once for each origin. Owned by the session; confined to its event loop.
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

  private struct Question {
    let number: Int
    let task: Task<Result<String, LoadError>, Never>
  }

  /// Seconds for which an answer is reused: networks change, and scripts look at addresses.
  private static let lifetime = 300.0
  /// The most origins whose answers are remembered.
  private static let limit = 1000

  private let script: ProxySettings.Script
  private let settings: LoadSettings
  private let executor: LoopExecutor
  private var state = State.unknown
  private var answers = BoundedTable<Origin, Answer>(limit: limit)
  /// Questions that the script hasn't answered yet; loads for the same origin share one.
  private var questions: [Origin: Question] = [:]
  private var questionCount = 0
  /// The process of the script as fetched before the networks changed: it is used if the script can't be fetched over the present ones.
  private var outdated: ProxyScriptProcess?
  /// The load that fetches the script, with its session; `expectant` are the loads that wait for it.
  private var fetching: (session: LoadSession, context: LoadContext)?
  private var expectant: [Load] = []

  /// - Parameter settings: The session's settings. The script is fetched with their TLS, clock and networks, but directly, without proxies,
  ///   cookies, cache and the rest.
  init(_ script: ProxySettings.Script, _ settings: LoadSettings, _ executor: LoopExecutor) {
    self.script = script
    self.executor = executor
    var own = LoadSettings(tls: settings.tls, userAgent: settings.userAgent)
    own.clock = settings.clock
    own.tlsPolicy = settings.tlsPolicy
    own.requestTimeout = min(settings.requestTimeout, 30)
    // The script is fetched over the networks that the loads may use, and waits for them as the loads do.
    own.network = settings.network
    own.networkAccess = settings.networkAccess
    own.waitsForConnectivity = settings.waitsForConnectivity
    own.resourceTimeout = settings.waitsForConnectivity ? settings.resourceTimeout : 60
    self.settings = own
  }

  func answer(for origin: Origin, _ load: Load) async throws(LoadError) -> String {
    let context = load.context
    guard ProxyScriptProcess.isAvailable else {
      throw ProxyScriptProcess.failure("this build can't run scripts; build with the package trait PAC, or name the proxy itself")
    }
    if let known = answers.use(origin), context.clock.now < known.given.advanced(bySeconds: ProxyScripts.lifetime) { return known.text }
    let process = try await process(load).get()
    let task = questions[origin]?.task ?? ask(process, origin, context.clock)
    return try await AppWait<Result<String, LoadError>>.disk(context) { await task.value }.get()
  }

  /// Asks the script about `origin`. All loads for it share the question, which is removed when it is answered.
  private func ask(_ process: ProxyScriptProcess, _ origin: Origin, _ clock: any LoadClock) -> Task<Result<String, LoadError>, Never> {
    questionCount += 1
    let number = questionCount
    let task = Task { [executor] in
      let result = await process.answer(for: origin)
      executor.eventLoop.execute { [weak self] in self?.note(result, origin, number, clock.now) }
      return result
    }
    questions[origin] = Question(number: number, task: task)
    return task
  }

  private func note(_ result: Result<String, LoadError>, _ origin: Origin, _ number: Int, _ now: Instant) {
    guard questions[origin]?.number == number else { return }
    questions[origin] = nil
    guard case .success(let text) = result else { return }
    answers[origin] = Answer(text: text, given: now)
  }

  /// Forgets the answers, and has a script with a URL fetched again: a change of the networks may change both. Loads under way keep their
  /// answers.
  func networksChanged() {
    answers.removeAll()
    questions = [:]
    guard case (.ready(let process), .url) = (state, script) else { return }
    outdated = process
    state = .unknown
  }

  /// Ends the fetch of the script, because the session has ended.
  func end() {
    if let fetching { fetching.session.interrupt(fetching.context, .cancelled()) }
  }

  /// The script's process, once the script has been fetched. If the session waits for connectivity, so does the load here, for at most the
  /// resource's timeout.
  private func process(_ load: Load) async throws(LoadError) -> Result<ProxyScriptProcess, LoadError> {
    let context = load.context
    if case .ready(let process) = state { return .success(process) }
    guard settings.waitsForConnectivity else {
      return try await AppWait<Result<ProxyScriptProcess, LoadError>>.disk(context) { await self.process() }
    }
    expectant.append(load)
    defer { expectant.removeAll { $0 === load } }
    return try await AppWait<Result<ProxyScriptProcess, LoadError>>.ask(context) { wait in
      Task { wait.answer(await self.process()) }
    }
  }

  /// Tells the waiting loads that the script can't be fetched for lack of a network.
  private func tellOfWaiting() {
    for load in expectant { load.tellOfWaiting() }
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
    let client = ProxyScriptClient(
      waits: { [self] in
        executor.eventLoop.execute { self.tellOfWaiting() }
      },
      ended: { [self] result in
        session.onLoop { session.end() }
        executor.eventLoop.execute { self.fetched(result) }
      })
    fetching = (session, context)
    session.start(request, Load(context, client))
  }

  /// Ends the fetch. If it failed, the next load begins another one.
  private func fetched(_ result: Result<String, LoadError>) {
    guard case .fetching(let waiting) = state else { return }
    fetching = nil
    var process = result.map { ProxyScriptProcess($0) }
    if case .failure = process, let outdated { process = .success(outdated) }
    outdated = nil
    if case .success(let process) = process { state = .ready(process) } else { state = .unknown }
    for continuation in waiting { continuation.resume(returning: process) }
  }
}

/// The client of the load that fetches a script: it collects the script's text.
private final class ProxyScriptClient: LoadClient, RedirectAnswering, @unchecked Sendable {
  // @unchecked: `body` is confined to the event loop of the session that fetches; the closures are immutable and Sendable.

  /// The most bytes of a script.
  private static let limit = 1 << 20

  private let waits: @Sendable () -> Void
  private let ended: @Sendable (Result<String, LoadError>) -> Void
  private var body = ByteBuffer()

  init(waits: @escaping @Sendable () -> Void, ended: @escaping @Sendable (Result<String, LoadError>) -> Void) {
    (self.waits, self.ended) = (waits, ended)
  }

  func isWaitingForConnectivity() { waits() }

  var collectsBody: Bool { false }
  var redirects: (any RedirectAnswering)? { self }
  func willRedirect(_ response: LoadResponse, to request: LoadRequest) async -> LoadRequest? { request }

  func didReceive(body piece: ByteBuffer) async throws(LoadError) {
    guard body.readableBytes + piece.readableBytes <= ProxyScriptClient.limit else {
      throw ProxyScriptProcess.failure("it is longer than 1 MiB")
    }
    body.writeImmutableBuffer(piece)
  }

  func didFinish(_ result: LoadResult) {
    if let error = result.error {
      // Without a network, the script's server isn't the cause: the error stays.
      if error.kind == .notConnectedToInternet { return ended(.failure(error)) }
      // The message says why the script couldn't be fetched; the error itself is that of a failed proxy script.
      return ended(.failure(error.proxy == nil ? ProxyScriptProcess.failure("it couldn't be fetched: \(error.message)") : error))
    }
    if let status = result.response?.status, !(200...299).contains(status) {
      return ended(.failure(ProxyScriptProcess.failure("it couldn't be fetched: the server answered \(status)")))
    }
    ended(.success(String(buffer: body)))
  }
}
