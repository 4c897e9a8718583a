import ArgumentParser
import Foundation
import URLLoadingSystem

/// `urlload ws`: a WebSocket in the terminal, or between pipes.
struct WebSocketCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "urlload ws",
    abstract: "Exchange messages over a WebSocket.",
    usage: "urlload ws [options] URL",
    discussion: """
      Each line of standard input is sent as a text message; each message goes to standard output as a line, binary ones in hexadecimal. \
      When the input ends the WebSocket is closed, and what comes before the server closes it too is still written.

      At a terminal, /ping measures the way there and back, /close [CODE [REASON]] closes, and //TEXT sends /TEXT.

      Exit codes are those of urlload: 0 if the conversation ended with 1000, 1001, without a code, or with the code of /close; 1 if the \
      server closed with another; 8 if it answered with anything but a WebSocket; 28 if it didn't close within 5 seconds.
      """)

  @Option(
    name: [.customShort("H"), .long], parsing: .unconditionalSingleValue,
    help: ArgumentHelp("A header field of the handshake, as 'Name: value'. Repeatable.", valueName: "field"))
  var header: [String] = []

  @Option(help: ArgumentHelp("A subprotocol to offer. Repeatable, the one liked most first.", valueName: "name"))
  var subprotocol: [String] = []

  @Flag(help: "Send standard input as binary messages, piece by piece as it comes, and write messages as they are, without ends of lines.")
  var binary = false

  @Flag(help: "Stay when the input ends, until the server closes.")
  var stay = false

  @Option(help: ArgumentHelp("The longest message to take, in bytes.", valueName: "bytes"))
  var maxSize = 64 << 20

  @Option(
    help: ArgumentHelp("Ping the server this often, in seconds, and give up when a pong hasn't come before the next.", valueName: "seconds")
  )
  var pingInterval: Double?

  @Option(help: ArgumentHelp("How long the handshake may take, in seconds. Default: 60.", valueName: "seconds"))
  var connectTimeout: Double?

  @Flag(name: .shortAndLong, help: "Tell the handshake on standard error; credentials are masked.")
  var verbose = false

  @Flag(name: .shortAndLong, help: "Tell nothing but failures.")
  var silent = false

  @OptionGroup(title: "Login and trust") var login: LoginOptions

  @Argument(help: "The address: ws://… or wss://….") var url: String

  mutating func validate() throws {
    if !(1...(1 << 40) ~= maxSize) { throw ValidationError("--max-size takes a number of bytes above 0.") }
    for (name, value) in [("--connect-timeout", connectTimeout), ("--ping-interval", pingInterval)] {
      if let value, !(value > 0 && value < 1e6) { throw ValidationError("\(name) takes a number of seconds above 0.") }
    }
    for field in header where HeaderArgument(field) == nil {
      throw ValidationError("A header field is 'Name: value', 'Name:' or 'Name;', but one of those given has no name before a colon.")
    }
  }

  func run() async throws {
    let status = await converse()
    guard status == .success else { throw ExitCode(status.rawValue) }
  }

  private func converse() async -> ExitStatus {
    let console = Console(tellsErrors: true)
    do throws(ToolFailure) {
      var options = RequestOptionValues()
      options.fields = header.compactMap(HeaderArgument.init)
      if let cacert = login.cacert { try TrustFile.use(cacert) }
      let answers = ChallengeAnswers(
        login: try Login(login, ask: PasswordPrompt.ask), identity: try IdentityFile(login), acceptsAnyServer: login.insecure)
      let request = try RequestPlan(options: options, content: .none, answers: answers).request(for: url)
      let session = URLSession(configuration: configuration)
      defer { session.finishTasksAndInvalidate() }
      return try await WebSocketClient(terms(answers), console, session, request.asking(for: subprotocol)).run()
    } catch {
      console.tell(error)
      return error.status
    }
  }

  private func terms(_ answers: ChallengeAnswers) -> WebSocketOptions {
    WebSocketOptions(
      content: binary ? .bytes : .lines, inputEnd: stay ? .nothing : .closes, isVerbose: verbose, isSilent: silent,
      maximumMessageSize: maxSize, pingInterval: pingInterval, answers: answers)
  }

  private var configuration: URLSessionConfiguration {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    // ws:// on the command line is meant.
    configuration.appTransportSecurity = nil
    if let connectTimeout { configuration.timeoutIntervalForRequest = connectTimeout }
    return configuration
  }
}

extension URLRequest {
  /// The request with subprotocols to offer (RFC 6455, 11.3.4).
  fileprivate func asking(for subprotocols: [String]) -> URLRequest {
    guard !subprotocols.isEmpty else { return self }
    var request = self
    request.setValue(subprotocols.joined(separator: ", "), forHTTPHeaderField: "Sec-WebSocket-Protocol")
    return request
  }
}
