import Dispatch
import Foundation
import ProtocolRules
import LoadingModel
import URLLoadingSystem

/// One request and its response: the delegate of a task.
///
/// The body is written in the callback that brings it, so that the loader doesn't read faster than the output can be written. Callbacks come on the
/// session's serial delegate queue; the state is behind a mutex, because `run` reads it on another thread.
final class Fetch: NSObject, URLSessionDataDelegate, LeavesChallengesToSession, Sendable {
  private struct State {
    /// The failure for which the tool has cancelled the task; takes precedence over the task's error.
    var failure: ToolFailure?
    /// The response with a failure status whose body is read nevertheless: for the description, or because it is written.
    var failed: FailedAnswer?
    /// Whether the task was cancelled because the rest of the body isn't needed.
    var hasEnough = false
    var hasShownRequest = false
    var hasReadInput = false
    var redirects = 0
    /// Bytes of the body received so far.
    var received: Int64 = 0
    var metrics: URLSessionTaskMetrics?
    /// When the task was resumed; nil before.
    var begin: DispatchTime?
    var waiting: CheckedContinuation<(any Error)?, Never>?
  }

  private let request: URLRequest
  private let plan: RequestPlan
  private let options: OutputOptionValues
  private let console: Console
  private let receiver: any BodyReceiver
  private let meter: ProgressMeter?
  private let upload: UploadPlace?
  private let chance: RetryChance
  /// Called with the metrics and the response of each attempt.
  private let observe: (@Sendable (URLSessionTaskMetrics, URLResponse?) -> Void)?
  private let state = Mutex(State())

  /// - Parameters:
  ///   - receiver: Takes the body.
  ///   - meter: Shows progress; nil for none.
  ///   - upload: The record of an interrupted upload that may be resumed, if a file is sent.
  ///   - chance: Whether the load is tried again if it fails.
  ///   - observe: Called with the metrics and the response of each attempt.
  init(
    _ request: URLRequest, _ plan: RequestPlan, _ options: OutputOptionValues, _ console: Console, _ receiver: any BodyReceiver,
    meter: ProgressMeter?, upload: UploadPlace? = nil, chance: RetryChance,
    observe: (@Sendable (URLSessionTaskMetrics, URLResponse?) -> Void)? = nil
  ) {
    self.request = request
    self.plan = plan
    self.options = options
    self.console = console
    self.receiver = receiver
    self.meter = meter
    self.upload = upload
    self.chance = chance
    self.observe = observe
    super.init()
  }

  /// Loads, and passes the response's head and body to the receiver.
  /// - Returns: nil after success; the failure that the status means, if the body was written nevertheless (`--fail-with-body`).
  /// - Throws: The failure otherwise.
  func run(in session: URLSession) async throws(ToolFailure) -> ToolFailure? {
    let task = plan.makeTask(request, upload, in: session)
    task.keepBodyWhole()
    task.delegate = self
    let error = await withCheckedContinuation { continuation in
      state.withLock { ($0.waiting, $0.begin) = (continuation, .now()) }
      task.resume()
    }
    let (failure, failed, hasEnough, metrics) = state.withLock { ($0.failure, $0.failed, $0.hasEnough, $0.metrics) }
    tell(metrics)
    if let metrics { observe?(metrics, task.response) }
    guard let failed, failure == nil else {
      try settle(failure, hasEnough ? nil : error)
      return nil
    }
    guard failed.isWritten else {
      try settle(failed.told, nil)
      return nil
    }
    if let error { try settle(nil, error) }
    if failed.told.transience == .lasting { upload?.forget() }
    return failed.told
  }

  /// Throws the failure or the error, if there is one. Forgets the record of an upload that can't or needn't be resumed.
  private func settle(_ failure: ToolFailure?, _ error: (any Error)?) throws(ToolFailure) {
    if let failure {
      if failure.status == .httpFailure, failure.transience == .lasting { upload?.forget() }
      throw failure
    }
    guard let error else {
      upload?.forget()
      return
    }
    if plan.answers.pinned?.haveRefused == true, (error as? URLError)?.code == .cancelled {
      throw ToolFailure(.pinMismatch, "the server's public key isn't the one that --pinnedpubkey names; someone else may be answering")
    }
    if let upload, upload.isForgotten(after: error) {
      throw ToolFailure(.rangeUnavailable, "the server has nothing of the interrupted upload any more")
    }
    let failure = ToolFailure(error, isSendingFile: upload != nil)
    // Without `--basic`, a login waits for the server to ask, and what has been sent by then is sent again.
    let hasLogin = request.url.map { plan.answers.login(for: $0) != nil || $0.user() != nil } ?? false
    guard failure.status == .cannotSendAgain, hasLogin, state.withLock({ $0.redirects == 0 }) else { throw failure }
    throw ToolFailure(failure.status, "\(failure.message), or give --basic with -u", failure.transience)
  }

  private func tell(_ metrics: URLSessionTaskMetrics?) {
    guard let metrics else { return }
    if options.isVerbose {
      for transaction in metrics.transactionMetrics {
        for line in HTTP3Text.lines(transaction) { console.line("* \(line)") }
      }
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
    // HTTP requests are shown by the narrator.
    guard options.isVerbose, let request = task.currentRequest, request.load.target == nil else { return }
    for line in HeadText.verbose(request, options.masking) { console.line(line) }
  }

  private func show(_ response: URLResponse) {
    guard options.isVerbose else { return }
    for line in HeadText.verbose(response, options.masking) { console.line(line) }
  }

  /// Writes a response's head to the output, if `-i` asks for that, and to the file of `-D`.
  private func include(_ response: URLResponse, _ task: URLSessionTask) {
    if let heads = options.heads, let head = HeadText.included(response), let failure = heads.write(head) { giveUp(task, failure) }
    guard options.includesHead, let head = HeadText.included(response), state.withLock({ $0.failure == nil }) else { return }
    do throws(ToolFailure) {
      try receiver.include(head)
    } catch {
      giveUp(task, error)
    }
  }

  private func write(_ data: Data, _ task: URLSessionTask) {
    guard state.withLock({ $0.failure == nil }) else { return }
    do throws(ToolFailure) {
      try receiver.write(data)
    } catch {
      giveUp(task, error)
    }
  }

  // MARK: delegate calls

  func urlSession(_ session: URLSession, task: URLSessionTask, didReceiveInformationalResponse response: HTTPURLResponse) {
    show(response)
    do throws(ToolFailure) {
      try upload?.note(response, to: task.currentRequest)
    } catch {
      // The upload goes on: the record is only needed to resume it after an interruption.
      console.tell(error)
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    // If redirects aren't followed, the redirect itself is the response, and is shown as such.
    guard options.followsRedirects else { return completionHandler(nil) }
    showRequest(task)
    show(response)
    include(response, task)
    let count = state.withLock { state in
      state.redirects += 1
      return state.redirects
    }
    if let most = plan.options.maxRedirects, count > most {
      giveUp(task, ToolFailure(.tooManyRedirects, "more than the \(most) redirects of --max-redirs; raise it to follow them"))
      return completionHandler(nil)
    }
    // After a redirect to FTP the request fetches (`RedirectDecision`): the file wouldn't be uploaded, and the load would seem to have succeeded.
    if plan.options.sends == .upload, let scheme = request.url?.scheme?.lowercased(), scheme == "ftp" || scheme == "ftps" {
      giveUp(
        task,
        ToolFailure(.other, "the server redirects the upload to FTP, where it isn't sent; give that URL itself to store the file there"))
      return completionHandler(nil)
    }
    if let refusal = plan.family?.refusal(of: request.url) {
      giveUp(task, refusal)
      return completionHandler(nil)
    }
    let next = plan.redirected(request, from: self.request.url)
    completionHandler(plan.options.referring(next, from: task.currentRequest?.url))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    // Standard input can be read once. For a data task the first stream was part of the request, so that this call asks for a second one.
    let isUsedUp = state.withLock { state in
      defer { state.hasReadInput = true }
      return plan.content == .standardInput && (state.hasReadInput || plan.options.sends != .upload)
    }
    completionHandler(isUsedUp ? nil : plan.makeStream())
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    showRequest(dataTask)
    state.withLock { $0.hasShownRequest = true }
    show(response)
    if let failed = refusal(of: response) {
      // The body is read if it describes the failure, or is to be written.
      let isRead = failed.isWritten || failed.isDescribed
      if isRead { state.withLock { $0.failed = failed } } else { giveUp(dataTask, failed.told) }
      if !failed.isWritten { return completionHandler(isRead ? .allow : .cancel) }
    }
    do throws(ToolFailure) {
      if let most = options.maxFileSize, response.expectedContentLength > most { throw Fetch.isTooLong(most) }
      switch try receiver.begin(response) {
      case .body where options.asksForHead && !(response is HTTPURLResponse):
        // Other schemes than HTTP have no HEAD: the task is cancelled before the body.
        try receiver.include(HeadText.facts(response))
        state.withLock { $0.hasEnough = true }
        completionHandler(.cancel)
      case .body(let offset, let total):
        include(response, dataTask)
        meter?.expect(from: offset, total: options.asksForHead ? 0 : total)
        completionHandler(.allow)
      case .enough:
        state.withLock { $0.hasEnough = true }
        completionHandler(.cancel)
      }
    } catch {
      giveUp(dataTask, error)
      completionHandler(.cancel)
    }
  }

  /// The failure that the response's status means; nil if it isn't one.
  private func refusal(of response: URLResponse) -> FailedAnswer? {
    guard let http = response as? HTTPURLResponse, http.statusCode >= 400 else { return nil }
    let status = http.statusCode
    let isPassing = Transience.isPassing(status: status)
    let isWanted = receiver.takes(status: status)
    // Status 416 may mean that the file is already complete, if the rest of one is asked for.
    let fails =
      (options.failsOnHTTPErrors || options.failsWithBody || upload?.demandsSuccess == true)
      && (status != 416 || !isWanted || !receiver.asksForRest)
    let text = FailedAnswer.text(http)
    let wait = RetryPolicyRules.seconds(retryAfter: http.value(forHTTPHeaderField: "Retry-After"), now: Date())
    let failure = ToolFailure(
      .httpFailure, options.failsOnHTTPErrors ? "\(text); leave --fail out to see what it says" : text,
      isPassing ? .passing(retryAfter: wait) : .lasting)
    let isTriedAgain = (isPassing || fails) && chance.delay(after: failure) != nil
    guard fails || !isWanted || isTriedAgain else { return nil }
    return FailedAnswer(response, failure, isWritten: options.failsWithBody && isWanted && !isTriedAgain)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64, totalBytesExpectedToSend: Int64
  ) {
    meter?.noteSent(totalBytesSent, by: bytesSent)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let (isWritten, isEnough) = state.withLock { state in
      guard let failed = state.failed else { return (true, false) }
      let isMoreNeeded = state.failed?.take(data) == true
      return (failed.isWritten, !failed.isWritten && !isMoreNeeded)
    }
    guard isWritten else {
      if isEnough { dataTask.cancel() }
      return
    }
    let received = state.withLock { state in
      state.received += Int64(data.count)
      return state.received
    }
    if let most = options.maxFileSize, received > most { return giveUp(dataTask, Fetch.isTooLong(most)) }
    write(data, dataTask)
    if receiver.isFull {
      state.withLock { $0.hasEnough = true }
      return dataTask.cancel()
    }
    meter?.advance(by: data.count)
    guard let pace = options.pace else { return }
    pace.take(data.count) { state.withLock { $0.failure != nil || $0.waiting == nil } || isOverdue }
    // With `--limit-rate`, received bytes wait here, so that the session's own timeout would come too late.
    if isOverdue, let most = options.maxTime {
      giveUp(dataTask, Fetch.isOverdue(most))
    }
  }

  /// - Parameter most: The time limit, in seconds.
  static func isOverdue(_ most: Double) -> ToolFailure {
    ToolFailure(.timedOut, "the load timed out: it did not end within --max-time (\(Quantity.duration(most)))", .passing())
  }

  /// Whether the load has exceeded `--max-time`.
  private var isOverdue: Bool {
    guard let most = options.maxTime, let begin = state.withLock({ $0.begin }) else { return false }
    return Double(DispatchTime.now().uptimeNanoseconds - begin.uptimeNanoseconds) / 1e9 >= most
  }

  static func isTooLong(_ most: Int64) -> ToolFailure {
    ToolFailure(.tooMuchData, "the body is longer than the \(most) bytes of --max-filesize")
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

/// The values of the output options that a fetch needs.
struct OutputOptionValues: Sendable {
  var includesHead: Bool
  var isVerbose: Bool
  var failsOnHTTPErrors: Bool
  var failsWithBody: Bool
  var showsMetrics: Bool
  var namesOutput: Bool
  var showsProgress: Bool
  var asksForHead: Bool
  var followsRedirects: Bool
  var maxFileSize: Int64?
  var masking = Masking.Degree.secrets
  /// The file of `-D`; nil for none.
  var heads: HeadFile?
  /// The rate limit that all loads of the run share; nil for none.
  var pace: SharedPace?
  /// The time limit for one load (`--max-time`), in seconds; nil for none.
  var maxTime: Double?

  init(_ options: OutputOptions, asksForHead: Bool, followsRedirects: Bool) {
    includesHead = options.includesHead || asksForHead
    isVerbose = options.verbose
    failsOnHTTPErrors = options.fail
    failsWithBody = options.failWithBody
    showsMetrics = options.metrics == .drawing
    showsProgress = !options.silent && options.showsProgress
    maxFileSize = options.maxFileSize
    masking = options.showsSecrets ? .nothing : .secrets
    namesOutput = options.usesRemoteName && !options.silent
    self.asksForHead = asksForHead
    self.followsRedirects = followsRedirects
  }
}
