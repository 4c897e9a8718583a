import Foundation
import URLLoadingSystem

/// The load of one URL into one output, by one fetch or several: further attempts, and the rest of an incomplete body.
final class Transfer: UnfinishedOutput {
  private let request: URLRequest
  private let plan: RequestPlan
  private let options: OutputOptionValues
  private let retry: RetrySchedule
  private let console: Console
  private let output: Output
  private let meter: ProgressMeter?
  private let upload: UploadPlace?
  private let seen = Locked<(URLSessionTaskMetrics, URLResponse?)?>(nil)

  /// Metrics and response of the last attempt; nil before.
  var outcome: (metrics: URLSessionTaskMetrics, response: URLResponse?)? { seen.value }
  /// How many times the load was tried again (`--retry`).
  let retries = Locked(0)
  /// The path of the file that was written; nil if there is none.
  let savedAs = Locked<String?>(nil)

  /// - Throws: If the output file can't be written.
  init(
    _ request: URLRequest, _ plan: RequestPlan, _ options: OutputOptionValues, _ retry: RetrySchedule, _ output: OutputPlan,
    _ console: Console,
    _ board: ProgressBoard?
  )
    throws(ToolFailure)
  {
    self.request = request
    self.plan = plan
    self.options = options
    self.retry = retry
    self.console = console
    self.output = try Output(output)
    if case .file(let path, _) = plan.content, plan.options.sends == .upload {
      upload = UploadPlace(path, request, user: plan.user(of: request), keeps: plan.options.continuesUpload)
    } else {
      upload = nil
    }
    meter = Transfer.meter(request, plan, options, self.output, console, board)
  }

  private static func meter(
    _ request: URLRequest, _ plan: RequestPlan, _ options: OutputOptionValues, _ output: Output, _ console: Console, _ board: ProgressBoard?
  ) -> ProgressMeter? {
    guard options.showsProgress, console.showsProgress, !output.isTerminal || console.progress == .json else { return nil }
    let isUpload = plan.options.sends == .upload
    return ProgressMeter(
      console, counts: isUpload ? .sent : .received, expected: isUpload ? plan.content.length : nil, board: board,
      name: request.url?.lastPathComponent ?? "")
  }

  /// Loads the URL, and writes the output.
  /// - Throws: If the load fails: the output file is removed, except for a part that can be resumed.
  func run(in session: URLSession, _ interruption: Interruption) async throws(ToolFailure) {
    meter?.start()
    let failure: ToolFailure?
    do throws(ToolFailure) {
      failure = try await fetchUntilComplete(session, interruption)
      let name = try output.commit()
      savedAs.value = name
      if let hint = output.hint { console.line(hint) }
      meter?.finish()
      if let name, options.namesOutput { console.line("urlload: saved as \(Printable.text(name))") }
    } catch {
      output.discard()
      meter?.abandon()
      if let upload, upload.isKept, !error.message.isEmpty {
        throw ToolFailure(error.status, "\(error.message); the same command goes on with the upload", error.transience)
      }
      throw error
    }
    if let failure { throw failure }
  }

  /// Ends the output without completing it.
  func discard() -> String? { output.discard() }

  func finishOverwriting() { output.finishOverwriting() }

  /// - Returns: The failure that the response's status means, if its body was written nevertheless (`--fail-with-body`); nil after success.
  private func fetchUntilComplete(_ session: URLSession, _ interruption: Interruption) async throws(ToolFailure) -> ToolFailure? {
    let begin = DispatchTime.now()
    var tries = 1
    while true {
      let before = output.length
      let chance = RetryChance(canSendAgain ? retry : RetrySchedule(), tries: tries, since: begin)
      do throws(ToolFailure) {
        let failure = try await fetch(session, chance)
        guard output.isShort else { return failure }
        // A server may send less than was asked for, but not nothing, or this loop wouldn't end.
        if output.length == before { throw ToolFailure(.connectionLost, "the server sent nothing of what is missing", .passing()) }
      } catch {
        guard let delay = chance.delay(after: error) else { throw error }
        if options.showsProgress { console.line("urlload: \(Printable.text(error.message)); trying again\(Transfer.text(delay))") }
        if delay > 0 { try? await Task.sleep(for: .seconds(delay)) }
        if let signal = interruption.status { throw ToolFailure(signal, "") }
        tries += 1
        retries.value = tries - 1
        if options.isVerbose { console.line("* attempt \(tries) of \(retry.count + 1)") }
      }
    }
  }

  private func fetch(_ session: URLSession, _ chance: RetryChance) async throws(ToolFailure) -> ToolFailure? {
    let next = try output.nextRequest()
    var request = request
    next.add(to: &request)
    // Without content coding, because offsets in a kept file must be those that a range can name.
    if output.plan.continuation != .none { request.setValue("identity", forHTTPHeaderField: "Accept-Encoding") }
    if plan.options.sends == .form, case .file = plan.content { request.httpBodyStream = plan.makeStream() }
    func run() async throws(ToolFailure) -> ToolFailure? {
      try await Fetch(
        request, plan, options, console, output, meter: meter, upload: upload, chance: chance, observe: { [seen] in seen.value = ($0, $1) }
      ).run(in: session)
    }
    do throws(ToolFailure) {
      return try await run()
    } catch {
      guard error.status == .rangeUnavailable, let upload, upload.isKnown else { throw error }
      upload.forget()
      guard mayBeginAnew else { throw ToolFailure(error.status, "\(error.message); to send it all again, give -C - or --retry") }
      if options.showsProgress { console.line("urlload: \(error.message); it begins anew") }
      return try await run()
    }
  }

  /// Whether an upload that the server doesn't have any more may be sent again from its beginning, although the server may have acted on the part
  /// that it had. That is safe for PUT, which is idempotent (RFC 9110, 9.2.2); other methods need `-C -` or `--retry`.
  private var mayBeginAnew: Bool {
    request.httpMethod == "PUT" || plan.options.continuesUpload || retry.count > 0
  }

  /// Standard input can be read only once, so that a request with it can't be repeated.
  private var canSendAgain: Bool { plan.content != .standardInput }

  private static func text(_ delay: Double) -> String { delay > 0 ? " in \(Quantity.duration(delay))" : "" }
}
