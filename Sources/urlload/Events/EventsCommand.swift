import Foundation
import URLLoadingSystem

/// `urlload sse`: writes server-sent events as they come.
struct EventsCommand: Sendable {
  private let line: LoadCommandLine
  private let console: Console

  /// Runs the command, and ends the process.
  static func main(_ arguments: [String]) async -> Never {
    let line: LoadCommandLine
    do {
      line = try LoadCommandLine(arguments, groups: EventsTable.groups)
      try EventsTable.validate(arguments)
      if line.options.run.help == nil, line.targets.count != 1 { throw UsageError("urlload sse reads one stream; name one URL.") }
    } catch let error as UsageError {
      Console(tellsErrors: true).line(
        "urlload: \(Printable.text(error.message))\nUsage: urlload sse [options] URL; 'urlload sse --help' tells more.")
      exit(ExitStatus.usage.rawValue)
    } catch {
      let failure = error as? ToolFailure ?? ToolFailure(error)
      Console(tellsErrors: true).tell(failure)
      exit(failure.status.rawValue)
    }
    if line.options.run.help != nil {
      EventsTable.showHelp()
      exit(0)
    }
    exit(await EventsCommand(line: line, console: Console(tellsErrors: line.options.output.tellsErrors)).run().rawValue)
  }

  private func run() async -> ExitStatus {
    signal(SIGPIPE, SIG_IGN)
    do throws(ToolFailure) {
      try await read()
      return .success
    } catch {
      console.tell(error)
      return error.status
    }
  }

  private func read() async throws(ToolFailure) {
    let options = line.options
    let urls = line.targets.map(\.url)
    let kept = try KeptSession(options.storage, urls: urls)
    for complaint in [kept?.complaint] + options.complaints { if let complaint { console.tell(complaint) } }
    let configuration = FetchRun(options).configuration
    if let kept, let storage = configuration.httpCookieStorage { kept.fill(storage) }
    let cookies = try configuration.httpCookieStorage.map { storage throws(ToolFailure) in
      try RunCookies(options.storage, urls: urls, storage: storage)
    }
    if let cacert = options.login.cacert { try TrustFile.use(cacert) }
    let answers = try options.login.answers(kept)
    let plan = RequestPlan(
      options: try RequestOptionValues(options.request, options.transfer, options.network), content: try SentContent(options.request),
      answers: answers, kept: kept?.fields ?? ServerTable(), family: options.network.familyRule)
    var request = try plan.request(for: line.targets[0].url)
    switch plan.content {
    case .none, .data: break
    case .file, .standardInput, .form:
      throw ToolFailure(
        .readFailed, "what asks for a stream of events is sent again with each connection; give the data itself with -d or --json")
    }
    if let id = options.run.events.lastID { request.setValue(id, forHTTPHeaderField: "Last-Event-ID") }
    // Without `--connect-timeout`, an event may take up to a day.
    if options.request.connectTimeout == nil { request.timeoutInterval = 24 * 3600 }
    try options.output.narrator(console)?.watch(configuration)
    let session = URLSession(configuration: configuration, delegate: RunDelegate(plan), delegateQueue: nil)
    defer { session.invalidateAndCancel() }
    // Other methods may have an effect with each request (RFC 9110, 9.2.2), so that only GET and HEAD connect again.
    let reconnects = !options.run.events.isOnce && ["GET", "HEAD"].contains(request.httpMethod ?? "GET")
    let writer = EventWriter(options)
    var source = session.serverSentEvents(for: request, reconnection: reconnects ? .init() : nil, maximumEventLength: 64 << 20)
    let tells = options.output.tellsErrors
    source.willConnectAgain = { [console] error, seconds in
      guard let error, tells else { return }
      console.line("urlload: \(Printable.text(ToolFailure(error).message)); connecting again in \(max(1, Int(seconds.rounded()))) s")
    }
    let result: Result<Void, any Error>
    do {
      for try await event in source {
        if let failure = writer.write(event) { throw failure }
      }
      result = .success(())
    } catch {
      result = .failure(error)
    }
    try cookies?.save()
    if let storage = cookies?.storage { try kept?.save(options, storage) }
    do {
      try result.get()
    } catch let failure as ToolFailure {
      throw failure
    } catch let error as URLSessionServerSentEventError {
      throw ToolFailure(.badResponse, error.description)
    } catch {
      throw ToolFailure(error)
    }
  }
}

/// Writes server-sent events to standard output.
struct EventWriter: Sendable {
  private struct Shown: Encodable {
    var id: String?
    var event: String
    var data: String
  }

  private let form: EventForm
  private let pretty: PrettyForm
  private let isTerminal = isatty(STDOUT_FILENO) == 1

  init(_ options: LoadOptions) {
    form = options.run.events.form
    pretty = options.output.pretty ?? (isTerminal ? .all : .none)
  }

  /// - Returns: The failure if the event can't be written; nil after success.
  func write(_ event: URLSessionServerSentEvent) -> ToolFailure? {
    Descriptor.writeAll(text(event), to: STDOUT_FILENO).map { WriteFailure.failure("standard output", $0) }
  }

  /// The bytes that are written for one event. Pure, except for the terminal's colours.
  func text(_ event: URLSessionServerSentEvent) -> Data {
    switch form {
    case .jsonLines:
      return Data((JSONLine.text(Shown(id: event.id.isEmpty ? nil : event.id, event: event.type, data: event.data)) + "\n").utf8)
    case .data: return data(event) + Data("\n".utf8)
    case .all:
      let facts = [event.type == "message" ? nil : "event: \(event.type)", event.id.isEmpty ? nil : "id: \(event.id)"].compactMap(\.self)
      let theme = pretty.colours ? Theme.ofTerminal : nil
      let head = facts.map { (theme?.number ?? "") + (isTerminal ? Printable.text($0) : $0) + (theme?.end ?? "") + "\n" }.joined()
      return Data(head.utf8) + data(event) + Data("\n\n".utf8)
    }
  }

  private func data(_ event: URLSessionServerSentEvent) -> Data {
    let isJSON = (pretty.indents || pretty.colours) && (event.data.first == "{" || event.data.first == "[")
    guard isJSON else { return Data((isTerminal ? EventWriter.printable(event.data) : event.data).utf8) }
    var formatter = JSONFormatter(indents: pretty.indents, theme: pretty.colours ? .ofTerminal : nil)
    return formatter.take(Data(event.data.utf8))
  }

  private static func printable(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { Printable.text(String($0)) }.joined(separator: "\n")
  }
}
