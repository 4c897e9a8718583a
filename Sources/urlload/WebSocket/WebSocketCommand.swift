import Foundation
import URLLoadingSystem

/// `urlload ws`: exchanges messages over a WebSocket, at a terminal or between pipes.
struct WebSocketCommand: Sendable {
  private let options: WebSocketLineOptions
  private let url: String

  /// Runs the command, and ends the process.
  static func main(_ arguments: [String]) async -> Never {
    do throws(UsageError) {
      var options = WebSocketLineOptions()
      let words = try CommandLineParser(WebSocketLineOptions.groups, explanation: ForeignOptions.explanation).parse(
        arguments, into: &options)
      if options.asksForHelp {
        WebSocketLineOptions.showHelp()
        exit(0)
      }
      guard let url = words.plain.first, words.plain.count == 1 else { throw UsageError("Name one WebSocket: ws://... or wss://...") }
      try options.validate()
      exit(await WebSocketCommand(options: options, url: url).converse().rawValue)
    } catch {
      Console(tellsErrors: true).line(
        "urlload: \(Printable.text(error.message))\nUsage: urlload ws [options] URL; 'urlload ws --help' tells more.")
      exit(ExitStatus.usage.rawValue)
    }
  }

  private func converse() async -> ExitStatus {
    let console = Console(tellsErrors: true)
    do throws(ToolFailure) {
      var values = RequestOptionValues()
      values.fields = options.header.compactMap(HeaderArgument.init)
      if let cacert = options.login.cacert { try TrustFile.use(cacert) }
      let answers = try options.login.answers()
      let request = try RequestPlan(options: values, content: .none, answers: answers).request(for: completed)
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      return try await WebSocketClient(terms(answers), console, session, request.asking(for: options.subprotocol)).run()
    } catch {
      console.tell(error)
      return error.status
    }
  }

  private func terms(_ answers: ChallengeAnswers) -> WebSocketOptions {
    WebSocketOptions(
      content: options.binary ? .bytes : .lines, inputEnd: options.stay ? .nothing : .closes, isVerbose: options.verbose,
      isSilent: options.silent, maximumMessageSize: options.maxSize, pingInterval: options.pingInterval, reconnects: options.reconnects,
      pretty: options.pretty, answers: answers)
  }

  /// The URL with a scheme: if it has none, ws or wss is chosen as `TypedURL` chooses http or https.
  private var completed: String {
    TypedURL.hasScheme(url) ? url : TypedURL.completed(url).replacing(/^http/, with: "ws")
  }

  private var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    // The user decides on ws:// by writing it: App Transport Security doesn't apply.
    configuration.appTransportSecurity = nil
    if options.verbose { Narrator(Narration(Console(tellsErrors: true), nil, masking: .secrets)).watch(configuration) }
    if let connectTimeout = options.connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    return configuration
  }
}

extension URLRequest {
  /// The request with a Sec-WebSocket-Protocol field that offers subprotocols (RFC 6455, 11.3.4).
  fileprivate func asking(for subprotocols: [String]) -> URLRequest {
    guard !subprotocols.isEmpty else { return self }
    var request = self
    request.setValue(subprotocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
    return request
  }
}
