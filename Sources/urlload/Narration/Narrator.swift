import Foundation
import HTTPTransport
import LoadingModel
import Synchronization
import URLLoadingSystem

/// `-v`: tells each step of the run's connections and loads when it happens.
///
/// Called on the session's event loop, which waits while a line is written: people read what is there before the next step is taken.
final class Narrator: ConnectionWatcher {
  private let console: Console
  private let masking: Masking.Degree
  /// When what is under way began, by what it is.
  private let begins = Mutex<[String: DispatchTime]>([:])

  init(_ console: Console, showsSecrets: Bool) {
    self.console = console
    masking = showsSecrets ? .nothing : .secrets
  }

  /// Has the session of a configuration tell what it does.
  func watch(_ configuration: URLSessionConfiguration) {
    configuration.connectionWatcher = self
    configuration.makeLoadObserver = { [console, masking] _ in NarratedLoad(console, masking) }
  }

  func happened(_ event: ConnectionEvent, isQUIC: Bool) {
    if let step = ConnectionText.step(event, isQUIC) { begins.withLock { $0[step] = .now() } }
    let began = ConnectionText.end(event, isQUIC).flatMap { end in begins.withLock { $0[end] } }
    let seconds = began.map { Double(DispatchTime.now().uptimeNanoseconds - $0.uptimeNanoseconds) / 1e9 }
    for line in ConnectionText.lines(event, isQUIC, seconds) { console.line("* \(Printable.text(line))") }
  }
}

/// Tells how one load goes on. Called on the session's event loop.
private final class NarratedLoad: HTTPTransport.LoadObserver {
  private let console: Console
  private let masking: Masking.Degree
  private let reason = Locked<RepeatReason?>(nil)

  init(_ console: Console, _ masking: Masking.Degree) { (self.console, self.masking) = (console, masking) }

  func willSend(_ fields: inout HeaderFields) {}

  func sends(_ request: OutgoingRequest, _ record: TransactionRecord) {
    if record.isReusedConnection, let place = record.connection?.remoteAddress {
      console.line("* connection to \(place)\(record.connection?.remotePort.map { " port \($0)" } ?? "") is used again")
    }
    let name = record.networkProtocolName
    let version = name == "h2" ? "HTTP/2" : name == "h3" ? "HTTP/3" : "HTTP/1.1"
    var lines = ["\(request.method) \(request.target.shortened(4000)) \(version)"]
    for (name, value) in request.headers.entries {
      // RFC 9113, 8.2: names are in lower case, and nothing is said of the connection.
      if version != "HTTP/1.1" {
        if ["connection", "transfer-encoding"].contains(name.lowercased()) { continue }
        lines.append(Masking.field(name.lowercased(), value, masking))
      } else {
        lines.append(Masking.field(name, value, masking))
      }
    }
    for line in lines { console.line("> \(Printable.text(line))") }
    console.line(">")
  }

  func willRepeat(after reason: RepeatReason) { self.reason.value = reason }

  func ended(_ record: TransactionRecord, next: LoadRequest) {
    let reason = self.reason.value
    self.reason.value = nil
    let url = Masking.url(next.url?.absoluteString ?? "", masking)
    let text =
      switch (reason, record.response?.status) {
      case (.error(let error), _): "sent again, because \(error.message)"
      case (.status(let status), _): "sent again after \(status)"
      case (nil, 304): "what is stored is still valid"
      case (nil, 401), (nil, 407): "sent again with credentials"
      case (nil, .some(300..<400)): "redirected: \(next.method) \(url)"
      case (nil, _): "sent again"
      }
    console.line("* \(Printable.text(text))")
  }

  func waitsForConnectivity() { console.line("* there is no network; waiting for one") }

  func challenged(_ method: String) {
    // Trust is a part of every handshake.
    guard method != NSURLAuthenticationMethodServerTrust else { return }
    console.line("* a login is asked for: \(Printable.text(method.replacing("NSURLAuthenticationMethod", with: "")))")
  }

  func received(_ record: TransactionRecord, _ response: LoadResponse) {
    if case .localCache = record.fetchType { console.line("* answered from the cache, without asking the server") }
  }

  func finished(_ record: TransactionRecord, _ error: LoadError?) {
    if let trailers = record.trailers {
      for (name, value) in trailers.entries { console.line("< \(Printable.text(Masking.field(name, value, masking))) (trailer)") }
    }
    guard let error, record.response == nil else { return }
    let sent = record.requestStart != nil
    console.line(
      "* gave up while \(sent ? "waiting for the response" : error.phase.told): \(Printable.text(ToolFailure.inOptions(error.message)))")
  }
}

extension LoadError.Phase {
  /// What a load was doing.
  fileprivate var told: String {
    switch self {
    case .resolve: "looking the name up"
    case .connect: "connecting"
    case .secure: "in the TLS handshake"
    case .send: "sending"
    case .head: "waiting for the response"
    case .body: "receiving the body"
    case .admission, .decode, .redirect, .delivery: "setting out"
    }
  }
}
