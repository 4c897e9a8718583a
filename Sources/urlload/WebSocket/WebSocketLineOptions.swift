import Foundation

/// The options of `urlload ws`.
struct WebSocketLineOptions: Sendable {
  var header: [String] = []
  var subprotocol: [String] = []
  var binary = false
  var stay = false
  var reconnects = false
  var pretty = PrettyForm.all
  var maxSize = 64 << 20
  var pingInterval: Double?
  var connectTimeout: Double?
  var verbose = false
  var silent = false
  var asksForHelp = false
  var login = LoginOptions()

  func validate() throws(UsageError) {
    try login.validate()
    if let complaint = HeaderArgument.complaint(header) { throw UsageError(complaint) }
  }

  static let groups: [OptionSection<WebSocketLineOptions>] = [
    OptionSection(title: "Messages", entries: entries),
    OptionSection(title: "Login and trust", entries: LoadTable.loginEntries).of(\.login),
  ]

  private static let entries: [OptionEntry<WebSocketLineOptions>] = [
    .value("header", "H", takes: OptionValue("field"), help: "A header field of the handshake, as 'Name: value'. Repeatable.") {
      options, text throws(UsageError) in options.header += try HeaderArgument.fields(text)
    },
    .value("subprotocol", takes: OptionValue("name"), help: "A subprotocol to offer. Repeatable, the preferred one first.") {
      options, text in options.subprotocol.append(text)
    },
    .flag(
      "binary",
      help: "Send standard input as binary messages, piece by piece as it comes, and write messages as they are, without ends of lines."
    ) { options, isOn in options.binary = isOn },
    .flag("stay", help: "Stay when the input ends, until the server closes.") { options, isOn in options.stay = isOn },
    .flag("reconnect", help: "Open the WebSocket again when the server or the network has ended it, after 1, 2, 4 and so on up to 30 s.") {
      options, isOn in options.reconnects = isOn
    },
    OptionEntry(
      name: "pretty", letters: [], help: "How JSON is shown at a terminal: all, colors, format or none. Default: all.",
      action: .value(OptionValue("form", .words(PrettyForm.allCases.map(\.rawValue)))) { options, text throws(UsageError) in
        guard let form = PrettyForm(rawValue: text) else { throw UsageError("--pretty takes all, colors, format or none.") }
        options.pretty = form
      }),
    .number("max-size", takes: "bytes", help: "The longest message to take. Default: 64 MiB.", in: 1...(1 << 40)) { options, count in
      options.maxSize = count
    },
    .seconds("ping-interval", help: "Ping the server this often, and give up when a pong hasn't come before the next.") {
      options, seconds in options.pingInterval = min(seconds, 1e6)
    },
    .seconds("connect-timeout", help: "How long the handshake may take. Default: 60.") { options, seconds in
      options.connectTimeout = min(seconds, 1e6)
    },
    .flag("verbose", "v", help: "Tell the handshake on standard error; credentials are masked.") { options, isOn in
      options.verbose = isOn
    },
    .flag("silent", "s", help: "Tell nothing but failures.") { options, isOn in options.silent = isOn },
    .flag("help", "h", help: "Tell the options.") { options, isOn in options.asksForHelp = isOn },
  ]

  static func showHelp() {
    StandardOutput.line(
      """
      urlload ws [options] URL

      Each line of standard input is sent as a text message; each message goes to standard output as a line, binary ones in hexadecimal.
      When the input ends the WebSocket is closed, and what comes before the server closes it too is still written.
      At a terminal the line can be edited, the arrows bring earlier ones back, and < stands before what came.
      There, /ping measures the way there and back, /close [CODE [REASON]] closes, and //TEXT sends /TEXT.
      """)
    let help = HelpText(groups: groups, width: min(Console(tellsErrors: true, descriptor: STDOUT_FILENO).width, 120))
    for group in groups { for line in help.lines(of: group) { StandardOutput.line(line) } }
  }
}
