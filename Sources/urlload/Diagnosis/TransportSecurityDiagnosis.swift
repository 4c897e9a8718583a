import Foundation
import URLLoadingSystem

/// Tries a server with each combination of App Transport Security's settings, and reports the results.
struct TransportSecurityDiagnosis: Sendable {
  /// The result of one trial.
  struct Result: Sendable {
    let trial: TransportSecurityTrial
    /// nil if the server answered.
    let failure: ToolFailure?
    /// TLS version, cipher suite and status, or the failure, as text.
    let reason: String

    var passed: Bool { failure == nil }
  }

  let url: URL
  let host: String
  /// Longest time of one trial without progress, in seconds.
  let timeout: Double

  /// Loads the URL with the trial's settings, over a new connection.
  func result(of trial: TransportSecurityTrial) async -> Result {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.appTransportSecurity = trial.transportSecurity(for: host)
    configuration.urlCache = nil
    configuration.timeoutIntervalForRequest = timeout
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let observer = HandshakeObserver()
    do {
      let (_, response) = try await session.data(from: url, delegate: observer)
      let status = (response as? HTTPURLResponse).map { "status \($0.statusCode)" } ?? "answered"
      return Result(trial: trial, failure: nil, reason: "\(observer.connection ?? "no TLS"), \(status)")
    } catch {
      let failure = ToolFailure(error)
      return Result(trial: trial, failure: failure, reason: TransportSecurityDiagnosis.reason(error))
    }
  }

  /// The error's code and cause. The advice after the ";" is cut off: it names settings, which the trials try anyway.
  private static func reason(_ error: any Error) -> String {
    guard let error = error as? URLError else { return "\(error)" }
    let text = error.localizedDescription
    let cause = text.prefix { $0 != ";" }
    return Printable.text("\(error.code.rawValue) \(cause)")
  }

  /// One line: "PASS  …" or "FAIL  …".
  static func line(_ result: Result, palette: Palette) -> String {
    let mark = result.passed ? palette.green("PASS") : palette.red("FAIL")
    return "\(mark)  \(result.trial.title.alignedLeft(40))  \(result.reason)"
  }

  /// Which settings an app needs for this server, according to the results.
  func verdict(_ results: [Result]) -> [String] {
    let name = Printable.text(host)
    if results.contains(where: { $0.trial == .fullProtection && $0.passed }) {
      return ["\(name) meets App Transport Security: an app needs no exception for it."]
    }
    let passed = results.filter(\.passed).map(\.trial).filter { !$0.keys.isEmpty }
    guard let mildest = passed.min(by: { $0.keys.count < $1.keys.count }) else {
      return ["No settings let an app load from \(name): the trouble lies elsewhere."]
    }
    return ["An app needs an entry for \(name) in NSExceptionDomains of NSAppTransportSecurity:"] + mildest.keys.map { "  \($0)" }
  }
}

/// Delegate of one trial: keeps the metrics, and refuses redirects, so that only this server is tried.
private final class HandshakeObserver: NSObject, URLSessionDataDelegate, Sendable {
  private let metrics = Locked<URLSessionTaskMetrics?>(nil)

  /// TLS version and cipher suite; nil without TLS.
  var connection: String? {
    metrics.value?.transactionMetrics.last.flatMap(TransactionTiming.tls)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
    self.metrics.value = metrics
  }
}
