import Foundation
import HTTPTransport
import LoadingModel
import URLLoadingSystem

/// Reports each step of the run's connections and loads as it happens, for `-v` and `--trace`.
///
/// Called on the session's event loop, which waits until a line is written, so that the output isn't behind what happens.
final class Narrator: ConnectionWatcher {
  private let narration: Narration
  /// When each step that hasn't ended began, by the step's name.
  private let begins = Mutex<[String: DispatchTime]>([:])

  init(_ narration: Narration) { self.narration = narration }

  /// Makes a configuration's session report its steps here.
  func watch(_ configuration: URLSessionConfiguration) {
    configuration.connectionWatcher = self
    configuration.makeLoadObserver = { [narration] task in NarratedLoad(narration, task.taskIdentifier) }
    if narration.trace != nil { configuration.transferRecording = ContentTracing(narration) }
  }

  func happened(_ event: ConnectionEvent, isQUIC: Bool) {
    if let step = ConnectionText.step(event, isQUIC) { begins.withLock { $0[step] = .now() } }
    let began = ConnectionText.end(event, isQUIC).flatMap { end in begins.withLock { $0[end] } }
    let seconds = began.map { Double(DispatchTime.now().uptimeNanoseconds - $0.uptimeNanoseconds) / 1e9 }
    for line in ConnectionText.lines(event, isQUIC, seconds) { narration.tell(line) }
  }

  var watchesFrames: Bool { narration.tellsFrames }

  func carried(_ frame: WatchedFrame) { narration.tell(FrameText.line(frame)) }
}

/// Reports the steps of one load. Called on the session's event loop.
private final class NarratedLoad: HTTPTransport.LoadObserver {
  private let narration: Narration
  /// The task's identifier.
  private let task: Int
  private let reason = Locked<RepeatReason?>(nil)
  /// Bytes of the response's head received so far; nil before its first byte.
  private let begunHead = Locked<Int?>(nil)

  init(_ narration: Narration, _ task: Int) { (self.narration, self.task) = (narration, task) }

  private var masking: Masking.Degree { narration.masking }

  func willSend(_ fields: inout HeaderFields) {}

  func sends(_ request: OutgoingRequest, _ record: @autoclosure () -> TransactionRecord) {
    let record = record()
    begunHead.value = nil
    if record.isReusedConnection, let place = record.connection?.remoteAddress {
      narration.tell("connection to \(place)\(record.connection?.remotePort.map { " port \($0)" } ?? "") is used again")
    }
    let name = record.networkProtocolName
    let version = name == "h2" ? "HTTP/2" : name == "h3" ? "HTTP/3" : "HTTP/1.1"
    var lines = ["\(request.method) \(request.target.shortened(4000)) \(version)"]
    for (name, value) in request.headers.entries {
      // In HTTP/2 and HTTP/3 field names are in lower case, and fields about the connection aren't sent (RFC 9113, 8.2).
      if version != "HTTP/1.1" {
        if ["connection", "transfer-encoding"].contains(name.lowercased()) { continue }
        lines.append(Masking.field(name.lowercased(), value, masking))
      } else {
        lines.append(Masking.field(name, value, masking))
      }
    }
    narration.sends(lines, of: task)
  }

  func took(_ step: LoadStep) {
    switch step {
    case .cacheDecided(let decision, let reason): narration.tell(StepText.cache(decision, reason))
    case .bodySent(let count): narration.tell("the request's body has been sent, \(Quantity.bytes(count))")
    case .headBegan(let count):
      if begunHead.value == nil { narration.tell("the response's head begins") }
      begunHead.value = count
    case .command(let line): narration.line(StepText.command(line, masking), isSent: true)
    case .reply(let code, let lines): for line in StepText.reply(code, lines) { narration.line(line, isSent: false) }
    }
  }

  func willRepeat(after reason: RepeatReason) { self.reason.value = reason }

  func ended(_ record: TransactionRecord, next: LoadRequest) {
    if let head = record.response?.httpHead { narration.traces(head, of: task) }
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
    narration.tell(text)
  }

  func waitsForConnectivity() { narration.tell("there is no network; waiting for one") }

  func challenged(_ method: String) {
    // Server trust is part of every TLS handshake, and isn't reported as a login.
    guard method != NSURLAuthenticationMethodServerTrust else { return }
    narration.tell("a login is asked for: \(method.replacing("NSURLAuthenticationMethod", with: ""))")
  }

  func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {
    if case .localCache = record().fetchType { narration.tell("answered from the cache, without asking the server") }
    if let head = response.httpHead { narration.traces(head, of: task) }
  }

  func finished(_ record: TransactionRecord, _ error: LoadError?) {
    narration.settle(task)
    if let trailers = record.trailers {
      for (name, value) in trailers.entries { narration.trailer(Masking.field(name, value, masking)) }
    }
    guard let error else { return }
    // The tool itself cancels loads when it needs no more of the body: that isn't reported as a failure.
    if record.response != nil, case .cancelled = error.kind { return }
    narration.tell("gave up while \(StepText.place(record, error, head: begunHead.value)): \(ToolFailure.inOptions(error.message))")
  }
}
