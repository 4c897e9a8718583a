import Foundation
import Synchronization
import URLLoadingSystem

/// The load of one URL: the delegate of its task.
///
/// The body is written in the callback that brings it, so that the loader reads no faster than the output takes it. Callbacks come on the
/// session's serial delegate queue; the rest of the state is behind a mutex because the caller waits elsewhere.
final class Fetch: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    /// Why the tool itself gave up; stands above the task's error.
    var failure: ToolFailure?
    var hasShownRequest = false
    var metrics: URLSessionTaskMetrics?
    var waiting: CheckedContinuation<(any Error)?, Never>?
  }

  private let request: URLRequest
  private let plan: RequestPlan
  private let options: OutputOptionValues
  private let console: Console
  private let output: Output
  private let meter: ProgressMeter?
  private let state = Mutex(State())

  /// - Throws: If the output file can't be written.
  init(_ request: URLRequest, _ plan: RequestPlan, _ options: OutputOptions, _ console: Console) throws(ToolFailure) {
    self.request = request
    self.plan = plan
    self.options = OutputOptionValues(options, asksForHead: plan.options.asksForHead, followsRedirects: plan.options.followsRedirects)
    self.console = console
    output = try Output(options.destination)
    meter = options.silent || !console.isTerminal || output.isTerminal ? nil : ProgressMeter(console)
    super.init()
  }

  /// Loads and writes.
  /// - Throws: What went wrong. No output file is left behind then.
  func run(in session: URLSession) async throws(ToolFailure) {
    let task = session.dataTask(with: request)
    task.delegate = self
    meter?.start()
    let error = await withCheckedContinuation { continuation in
      state.withLock { $0.waiting = continuation }
      task.resume()
    }
    let (failure, metrics) = state.withLock { ($0.failure, $0.metrics) }
    do throws(ToolFailure) {
      if let failure = failure ?? error.map(ToolFailure.init) { throw failure }
      let name = try output.commit()
      meter?.finish()
      if let name, options.namesOutput { console.line("urlload: saved as \(Printable.text(name))") }
    } catch {
      output.discard()
      meter?.abandon()
      tell(metrics)
      throw error
    }
    tell(metrics)
  }

  /// Removes an unfinished output file.
  func discard() { output.discard() }

  private func tell(_ metrics: URLSessionTaskMetrics?) {
    guard let metrics else { return }
    if options.isVerbose {
      for line in metrics.transactionMetrics.compactMap(TransactionTiming.connectionLine) { console.line("* \(line)") }
    }
    if options.showsMetrics {
      let palette: Palette = console.isTerminal ? .forTerminal : .plain
      for line in Waterfall(metrics).lines(width: console.width, palette: palette) { console.line(line) }
    }
  }

  private func giveUp(_ task: URLSessionTask, _ failure: ToolFailure) {
    state.withLock { $0.failure = $0.failure ?? failure }
    task.cancel()
  }

  private func showRequest(_ task: URLSessionTask) {
    guard options.isVerbose, let request = task.currentRequest else { return }
    for line in HeadText.verbose(request) { console.line(line) }
  }

  private func show(_ response: URLResponse) {
    guard options.isVerbose else { return }
    for line in HeadText.verbose(response) { console.line(line) }
  }

  /// Writes a head to the output, where heads are wanted there.
  private func include(_ response: URLResponse, _ task: URLSessionTask) {
    guard options.includesHead, let head = HeadText.included(response) else { return }
    write(head, task)
  }

  private func write(_ data: Data, _ task: URLSessionTask) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do throws(ToolFailure) {
      try output.write(data)
    } catch {
      giveUp(task, error)
    }
  }

  // MARK: what the task tells

  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    show(response)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // Without following, the redirect comes again as the response.
    guard options.followsRedirects else { return completionHandler(nil) }
    showRequest(task)
    show(response)
    include(response, task)
    completionHandler(request)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let (disposition, credential) = plan.answers.answer(challenge, for: request.url)
    completionHandler(disposition, credential)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Standard input can't be read twice.
    completionHandler(plan.content == .standardInput ? nil : plan.makeStream())
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    showRequest(dataTask)
    state.withLock { $0.hasShownRequest = true }
    show(response)
    if options.failsOnHTTPErrors, let status = (response as? HTTPURLResponse)?.statusCode, status >= 400 {
      let text = HTTPURLResponse.localizedString(forStatusCode: status)
      giveUp(
        dataTask,
        ToolFailure(.httpFailure, "the server answered \(status) (\(text)); leave --fail out to see what it says"))
      return completionHandler(.cancel)
    }
    do throws(ToolFailure) {
      try output.begin(response)
      include(response, dataTask)
      meter?.expect(options.asksForHead ? 0 : response.expectedContentLength)
      completionHandler(.allow)
    } catch {
      giveUp(dataTask, error)
      completionHandler(.cancel)
    }
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    write(data, dataTask)
    meter?.advance(by: data.count)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    state.withLock { $0.metrics = metrics }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if !state.withLock({ $0.hasShownRequest }) { showRequest(task) }
    let waiting = state.withLock { state in
      defer { state.waiting = nil }
      return state.waiting
    }
    waiting?.resume(returning: error)
  }
}

/// The output options as plain values.
struct OutputOptionValues: Sendable {
  var includesHead: Bool
  var isVerbose: Bool
  var failsOnHTTPErrors: Bool
  var showsMetrics: Bool
  var namesOutput: Bool
  var asksForHead: Bool
  var followsRedirects: Bool

  init(_ options: OutputOptions, asksForHead: Bool, followsRedirects: Bool) {
    includesHead = options.includesHead || asksForHead
    isVerbose = options.verbose
    failsOnHTTPErrors = options.fail
    showsMetrics = options.metrics
    namesOutput = options.usesRemoteName && !options.silent
    self.asksForHead = asksForHead
    self.followsRedirects = followsRedirects
  }
}
