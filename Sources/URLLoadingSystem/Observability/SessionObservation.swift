import Foundation
import HTTPTransport
import LoadingModel
import Synchronization

#if Metrics
  import CoreMetrics
#endif

/// Makes the observers of a session's loads: for log lines, metrics, spans and recordings. Which are on is decided when the session is made.
///
/// Immutable, and shared by the session's tasks. If all are off, a task only pays for the comparisons in `observe`.
final class SessionObservation: SessionObserver {
  /// The number of sessions that this process has made, which numbers them.
  private static let count = Atomic(0)

  /// The session's number in its process, counted from 1.
  private let number: Int
  /// The writers of log lines; empty if there is none.
  private let lines: [any LineWriter]
  /// Whether lines show the queries of URLs.
  private let showsQueries: Bool
  private let makeObserver: (@Sendable (any ObservedTask) -> (any LoadObserver)?)?
  /// The session's own recorder; nil for the process's.
  private let recording: (any TransferRecording)?
  #if Metrics
    private let counts: LoadCounts?
  #endif
  #if Tracing
    private let tracing: SessionTracing
  #endif

  init(_ configuration: URLSessionConfiguration) {
    TransferRecorders.readEnvironment
    recording = configuration.transferRecording
    number = SessionObservation.count.add(1, ordering: .relaxed).newValue
    showsQueries = configuration.showsQueriesOfObservedURLs
    if let make = configuration.makeLoadObserver {
      makeObserver = { task in if let task = task as? URLSessionTask { make(task) } else { nil } }
    } else {
      makeObserver = nil
    }
    var lines: [any LineWriter] = []
    if let diagnostics = DiagnosticLines.ofProcess { lines.append(diagnostics) }
    #if Logging
      if let logger = configuration.logger { lines.append(LogLines(logger)) }
    #endif
    self.lines = lines
    #if Metrics
      let factory = configuration.metricsFactory ?? MetricsSystem.factory
      counts = factory is NOOPMetricsHandler ? nil : LoadCounts(factory)
    #endif
    #if Tracing
      tracing = SessionTracing(own: configuration.tracer)
    #endif
  }

  /// Makes the observer of one load, which `task` is about to start; nil if neither log, metrics, tracing nor recording is on.
  func observe(_ task: any ObservedTask, _ context: LoadContext) -> (any LoadObserver)? {
    var observers = ObserverList()
    if let own = makeObserver?(task) { observers.append(own) }
    #if Tracing
      let span = tracing.span(for: task, context, showsQueries: showsQueries)
      if let span { observers.append(span) }
    #endif
    if !lines.isEmpty {
      #if Tracing
        let taskLines = TaskLines(task, session: number, lines, showsQueries: showsQueries, trace: span?.context ?? task.callerContext)
      #else
        let taskLines = TaskLines(task, session: number, lines, showsQueries: showsQueries)
      #endif
      taskLines.begins(context)
      observers.append(taskLines)
    }
    #if Metrics
      if let counts { observers.append(TaskCounts(counts, context)) }
    #endif
    // The recorder is last, so that it sees the header fields that other observers add.
    if let recording = recording ?? TransferRecorders.ofProcess,
      let recorder = recording.observer(of: RecordedTask(task, session: number), context)
    {
      observers.append(recorder)
    }
    return observers.all
  }
}

extension URLSessionConfiguration {
  /// Makes the object that observes the session's loads, by the settings as they are now.
  func makeObserver() -> any SessionObserver { SessionObservation(self) }
}

/// Collects the observers of one load; a single one, the usual case, needs no allocation.
private struct ObserverList {
  private var first: (any LoadObserver)?
  private var others: [any LoadObserver] = []

  mutating func append(_ observer: any LoadObserver) {
    if first == nil { first = observer } else { others.append(observer) }
  }

  /// The only observer, or a group that calls all of them in the order in which they were appended; nil if there is none.
  var all: (any LoadObserver)? {
    guard let first, !others.isEmpty else { return first }
    return ObserverGroup([first] + others)
  }
}

/// Forwards each call to several observers of one load.
private final class ObserverGroup: LoadObserver {
  private let members: [any LoadObserver]

  init(_ members: [any LoadObserver]) { self.members = members }

  func willSend(_ fields: inout HeaderFields) {
    for member in members { member.willSend(&fields) }
  }

  func sends(_ request: OutgoingRequest, _ record: @autoclosure () -> TransactionRecord) {
    for member in members { member.sends(request, record()) }
  }

  func took(_ step: LoadStep) {
    for member in members { member.took(step) }
  }

  func willRepeat(after reason: RepeatReason) {
    for member in members { member.willRepeat(after: reason) }
  }

  func ended(_ record: TransactionRecord, next: LoadRequest) {
    for member in members { member.ended(record, next: next) }
  }

  func waitsForConnectivity() {
    for member in members { member.waitsForConnectivity() }
  }

  func challenged(_ method: String) {
    for member in members { member.challenged(method) }
  }

  func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {
    for member in members { member.received(record(), response) }
  }

  func finished(_ record: TransactionRecord, _ error: LoadError?) {
    for member in members { member.finished(record, error) }
  }
}
