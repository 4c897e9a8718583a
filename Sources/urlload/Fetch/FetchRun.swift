import Foundation
import URLLoadingSystem

/// One run of the tool: a session, and one fetch after the other through it.
struct FetchRun: Sendable {
  private let request: RequestOptions
  private let output: OutputOptions
  private let console: Console

  init(request: RequestOptions, output: OutputOptions) {
    self.request = request
    self.output = output
    console = Console(tellsErrors: output.tellsErrors)
  }

  /// Loads the URLs in order.
  /// - Returns: The status of the first that failed.
  func run(_ urls: [String]) async -> ExitStatus {
    let content: SentContent
    do throws(ToolFailure) {
      content = try SentContent(request)
    } catch {
      console.tell(error)
      return error.status
    }
    let plan = RequestPlan(options: RequestOptionValues(request), content: content)
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
    return interruption.status ?? status
  }

  private func fetch(_ url: String, _ plan: RequestPlan, _ session: URLSession, _ interruption: Interruption) async -> ToolFailure? {
    do throws(ToolFailure) {
      let fetch = try Fetch(plan.request(for: url), plan, output, console)
      interruption.set(
        onCancel: { session.invalidateAndCancel() },
        onExit: { fetch.discard() })
      try await fetch.run(in: session)
      return nil
    } catch {
      return error
    }
  }

  private var configuration: URLSessionConfiguration {
    // Nothing is remembered from one run to the next: cookies serve within the run, a cache would serve nobody.
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    if let maxTime = request.maxTime { configuration.timeoutIntervalForResource = maxTime }
    if let connectTimeout = request.connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    return configuration
  }
}
