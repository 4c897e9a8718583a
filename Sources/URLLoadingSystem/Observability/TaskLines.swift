import Foundation
import HTTPTransport
import LoadingModel

#if Tracing
  import Tracing
#endif

/// The importance of a line, in the order of swift-log's levels.
enum LineLevel: Int, Comparable {
  case debug, info, notice, warning

  static func < (left: LineLevel, right: LineLevel) -> Bool { left.rawValue < right.rawValue }
}

/// One log line about a task: a message, and facts as names and values.
struct TaskLine {
  let level: LineLevel
  let message: String
  var facts: [(name: String, value: String)] = []

  /// Adds a fact, unless its value is nil.
  mutating func add(_ name: String, _ value: String?) {
    if let value { facts.append((name, value)) }
  }

  mutating func add(_ name: String, milliseconds seconds: Double?) {
    if let seconds { facts.append((name, "\((seconds * 100_000).rounded() / 100)")) }
  }
}

/// A destination of log lines. Called on any thread.
protocol LineWriter: Sendable {
  func writes(_ level: LineLevel) -> Bool
  func write(_ line: TaskLine)
}

/// Makes log lines of the events of one task.
///
/// Names of facts are those of OpenTelemetry where it defines one. No line contains credentials, header values or bodies, nor the user name, password
/// and fragment of a URL.
final class TaskLines: LoadObserver, @unchecked Sendable {
  // @unchecked: `begins` is called before the load is handed to its event loop; everything else, and `reason`, `count` and `begin` with
  // it, is confined to that loop. The rest is immutable.
  private let task: any ObservedTask
  private let identifier: String
  private let writers: [any LineWriter]
  private let showsQueries: Bool
  #if Tracing
    private let trace: ServiceContext?
  #endif
  private var clock: (any LoadClock)?
  private var begin: Instant?
  private var reason: RepeatReason?
  /// The number of transactions that have ended.
  private var count = 0

  #if Tracing
    init(_ task: any ObservedTask, session: Int, _ writers: [any LineWriter], showsQueries: Bool, trace: ServiceContext?) {
      (self.task, identifier, self.writers) = (task, "\(session).\(task.taskIdentifier)", writers)
      (self.showsQueries, self.trace) = (showsQueries, trace)
    }
  #else
    init(_ task: any ObservedTask, session: Int, _ writers: [any LineWriter], showsQueries: Bool) {
      (self.task, identifier, self.writers) = (task, "\(session).\(task.taskIdentifier)", writers)
      self.showsQueries = showsQueries
    }
  #endif

  func begins(_ context: LoadContext) {
    clock = context.clock
    begin = context.record.fetchStart
    let request = context.record.request
    write(.debug, "task begins") { line in
      line.add("url_session.task.kind", task.kindName)
      line.add("http.request.method", request.method)
      line.add("url.full", ShownURL.text(request, showsQuery: showsQueries))
    }
  }

  func willSend(_ fields: inout HeaderFields) {}

  func willRepeat(after reason: RepeatReason) { self.reason = reason }

  func ended(_ record: TransactionRecord, next: LoadRequest) {
    defer { reason = nil }
    describe(record)
    switch TransactionEnd(record, reason) {
    case .redirect:
      write(.info, "redirected") { line in
        line.add("http.response.status_code", record.status)
        line.add("http.request.method", next.method)
        line.add("url.full", ShownURL.text(next, showsQuery: showsQueries))
      }
    case .failure(let error):
      write(.info, "request is sent again") { line in
        line.add("http.request.resend_count", "\(count)")
        line.add("error.type", error.typeName)
        line.add("error.message", error.loggedMessage)
      }
    case .status(let status):
      write(.info, "request is sent again") { line in
        line.add("http.request.resend_count", "\(count)")
        line.add("http.response.status_code", "\(status)")
      }
    case .authentication: write(.debug, "request is sent with credentials") { $0.add("http.response.status_code", record.status) }
    case .other: write(.debug, "request is sent again") { $0.add("http.response.status_code", record.status) }
    }
  }

  func waitsForConnectivity() { write(.notice, "task waits for a network") { _ in } }

  func challenged(_ method: String) {
    write(.debug, "delegate is asked about a challenge") { $0.add("url_session.challenge.method", method) }
  }

  func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {
    let record = record()
    write(.debug, "response") { line in
      line.add("http.response.status_code", response.status.map { "\($0)" })
      line.add("url_session.fetch.kind", record.fetchKind)
      line.add("network.protocol.version", record.protocolVersion)
      if response.expectedLength >= 0 { line.add("http.response.body.size", "\(response.expectedLength)") }
    }
  }

  func finished(_ record: TransactionRecord, _ error: LoadError?) {
    describe(record)
    let seconds = TransactionRecord.seconds(begin, clock?.now)
    guard let error else {
      return write(.debug, "task completed") { line in
        line.add("http.response.status_code", record.status)
        line.add("duration_ms", milliseconds: seconds)
      }
    }
    write(error.lineLevel, error.kind == .cancelled ? "task cancelled" : "task failed") { line in
      line.add("http.request.method", record.request.method)
      line.add("url.full", ShownURL.text(record.request, showsQuery: showsQueries))
      line.add("error.type", error.typeName)
      line.add("error.message", error.loggedMessage)
      line.add("error.phase", error.phase.rawValue)
      line.add("duration_ms", milliseconds: seconds)
    }
  }

  /// Writes a line about a transaction that used the network or tried to, with its connection, durations and sizes.
  private func describe(_ record: TransactionRecord) {
    count += 1
    guard case .networkLoad = record.fetchType else { return }
    write(.debug, "transaction ended") { line in
      line.add("http.request.method", record.request.method)
      line.add("server.address", record.request.target?.origin.host)
      line.add("server.port", record.request.target.map { "\($0.origin.port)" })
      line.add("http.response.status_code", record.status)
      line.add("network.protocol.version", record.protocolVersion)
      line.add("network.peer.address", record.connection?.remoteAddress)
      line.add("url_session.connection", record.requestStart == nil ? "failed" : record.isReusedConnection ? "reused" : "opened")
      line.add("wait_ms", milliseconds: record.waitForConnection)
      line.add("lookup_ms", milliseconds: TransactionRecord.seconds(record.domainLookupStart, record.domainLookupEnd))
      line.add("connect_ms", milliseconds: record.connectSeconds)
      line.add("tls_ms", milliseconds: TransactionRecord.seconds(record.secureConnectionStart, record.secureConnectionEnd))
      line.add("response_ms", milliseconds: TransactionRecord.seconds(record.requestStart, record.responseStart))
      line.add("bytes.sent", "\(record.requestHeaderBytes + record.requestBodyBytes)")
      line.add("bytes.received", "\(record.responseHeaderBytes + record.responseBodyBytes)")
    }
  }

  /// Makes the line, if a writer writes lines of this level, and passes it to those writers.
  private func write(_ level: LineLevel, _ message: String, _ fill: (inout TaskLine) -> Void) {
    guard writers.contains(where: { $0.writes(level) }) else { return }
    var line = TaskLine(level: level, message: message)
    line.add("url_session.request.id", identifier)
    line.add("url_session.task.description", task.taskDescription)
    fill(&line)
    #if Tracing
      // The log handler's metadata provider reads the task's span from this context.
      guard let trace else { return send(line) }
      ServiceContext.withValue(trace) { send(line) }
    #else
      send(line)
    #endif
  }

  private func send(_ line: TaskLine) {
    for writer in writers where writer.writes(line.level) { writer.write(line) }
  }
}

extension TransactionRecord {
  fileprivate var status: String? { response?.status.map { "\($0)" } }

  fileprivate var fetchKind: String {
    switch fetchType {
    case .unknown: "other"
    case .networkLoad: "network"
    case .serverPush: "push"
    case .localCache: "cache"
    }
  }
}

extension LoadError {
  /// `debug` for a cancellation, which the app wanted; `warning` for failures of TLS, which may be an attack or a misconfigured server; `notice` for
  /// others.
  fileprivate var lineLevel: LineLevel {
    switch kind {
    case .cancelled: .debug
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
      .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired,
      .appTransportSecurityRequiresSecureConnection:
      .warning
    default: .notice
    }
  }
}
