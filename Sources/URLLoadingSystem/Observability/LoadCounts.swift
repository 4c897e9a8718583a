#if Metrics
  import CoreMetrics
  import HTTPTransport
  import LoadingModel

  /// The counters and timers of one session's loads. If several sessions use the same factory, it decides whether they share them.
  ///
  /// Each dimension has few values: methods, classes of status codes, outcomes, versions of HTTP. Thread-safe.
  final class LoadCounts: Sendable {
    /// A counter and a timer of the loads with one set of dimensions.
    struct Series: Sendable {
      let loads: Counter
      let duration: CoreMetrics.Timer
    }

    let redirects: Counter
    let resends: Counter
    let cached: Counter
    let failedConnections: Counter
    let sent: Counter
    let received: Counter
    let wait: CoreMetrics.Timer
    let lookup: CoreMetrics.Timer
    let connect: CoreMetrics.Timer
    let secure: CoreMetrics.Timer
    private let opened: [Counter]
    private let reused: [Counter]
    private let factory: any MetricsFactory
    /// The series by method, status class and outcome; nil until first used.
    private let series: Mutex<[Series?]>

    private static let methods = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "_OTHER"]
    private static let classes = ["none", "1xx", "2xx", "3xx", "4xx", "5xx", "_OTHER"]
    private static let versions = ["1.1", "2", "3", "_OTHER"]

    init(_ factory: any MetricsFactory) {
      func counter(_ name: String, _ dimensions: [(String, String)] = []) -> Counter {
        Counter(label: "http.client.\(name)", dimensions: dimensions, factory: factory)
      }
      func timer(_ name: String) -> CoreMetrics.Timer { CoreMetrics.Timer(label: "http.client.\(name)", dimensions: [], factory: factory) }
      self.factory = factory
      redirects = counter("redirects")
      resends = counter("resends")
      cached = counter("cache.hits")
      failedConnections = counter("connections.failed")
      sent = counter("bytes.sent")
      received = counter("bytes.received")
      wait = timer("connection.wait.duration")
      lookup = timer("connection.lookup.duration")
      connect = timer("connection.connect.duration")
      secure = timer("connection.tls.duration")
      opened = LoadCounts.versions.map { counter("connections.opened", [("network.protocol.version", $0)]) }
      reused = LoadCounts.versions.map { counter("connections.reused", [("network.protocol.version", $0)]) }
      let count = LoadCounts.methods.count * LoadCounts.classes.count * LoadOutcome.allCases.count
      series = Mutex(Array(repeating: nil, count: count))
    }

    /// The counter for the connection of a transaction, by HTTP version: of new connections, or of reused ones.
    func connections(_ record: TransactionRecord) -> Counter {
      let counters = record.isReusedConnection ? reused : opened
      return counters[LoadCounts.versions.firstIndex(of: record.protocolVersion ?? "") ?? counters.count - 1]
    }

    func loads(method: String, status: Int?, _ outcome: LoadOutcome) -> Series {
      let methodPlace = LoadCounts.methods.firstIndex(of: method) ?? LoadCounts.methods.count - 1
      let classPlace = status.map { (1...5).contains($0 / 100) ? $0 / 100 : LoadCounts.classes.count - 1 } ?? 0
      let place = (methodPlace * LoadCounts.classes.count + classPlace) * LoadOutcome.allCases.count + outcome.rawValue
      if let known = series.withLock({ $0[place] }) { return known }
      // Two threads may make the same series: the factory returns the same metrics for both.
      let made = make(LoadCounts.methods[methodPlace], LoadCounts.classes[classPlace], outcome)
      series.withLock { $0[place] = made }
      return made
    }

    private func make(_ method: String, _ statusClass: String, _ outcome: LoadOutcome) -> Series {
      let dimensions = [
        ("http.request.method", method), ("http.response.status_class", statusClass), ("outcome", "\(outcome)"),
      ]
      return Series(
        loads: Counter(label: "http.client.loads", dimensions: dimensions, factory: factory),
        duration: CoreMetrics.Timer(label: "http.client.load.duration", dimensions: dimensions, factory: factory))
    }
  }

  /// Counts the transactions and the result of one load.
  final class TaskCounts: LoadObserver, @unchecked Sendable {
    // @unchecked: `reason` is confined to the load's event loop; the rest is immutable.
    private let counts: LoadCounts
    private let clock: any LoadClock
    private let begin: Instant
    private let method: String
    private var reason: RepeatReason?

    init(_ counts: LoadCounts, _ context: LoadContext) {
      self.counts = counts
      clock = context.clock
      begin = context.record.fetchStart ?? context.clock.now
      method = context.record.request.method
    }

    func willSend(_ fields: inout HeaderFields) {}

    func willRepeat(after reason: RepeatReason) { self.reason = reason }

    func ended(_ record: TransactionRecord, next: LoadRequest) {
      switch TransactionEnd(record, reason) {
      case .redirect: counts.redirects.increment()
      case .failure, .status: counts.resends.increment()
      case .authentication, .other: break
      }
      reason = nil
      count(record)
    }

    func waitsForConnectivity() {}
    func challenged(_ method: String) {}
    func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse) {}

    func finished(_ record: TransactionRecord, _ error: LoadError?) {
      count(record)
      let series = counts.loads(method: method, status: record.response?.status, LoadOutcome(error))
      series.loads.increment()
      series.duration.recordNanoseconds(Int64(clamping: clock.now.nanoseconds &- begin.nanoseconds))
    }

    private func count(_ record: TransactionRecord) {
      switch record.fetchType {
      case .networkLoad: break
      case .localCache: return counts.cached.increment()
      case .unknown, .serverPush: return
      }
      if record.requestStart != nil { counts.connections(record).increment() } else { counts.failedConnections.increment() }
      note(record.waitForConnection, counts.wait)
      note(TransactionRecord.seconds(record.domainLookupStart, record.domainLookupEnd), counts.lookup)
      note(record.connectSeconds, counts.connect)
      note(TransactionRecord.seconds(record.secureConnectionStart, record.secureConnectionEnd), counts.secure)
      counts.sent.increment(by: record.requestHeaderBytes + record.requestBodyBytes)
      counts.received.increment(by: record.responseHeaderBytes + record.responseBodyBytes)
    }

    private func note(_ seconds: Double?, _ timer: CoreMetrics.Timer) {
      if let seconds { timer.recordNanoseconds(Int64(seconds * 1e9)) }
    }
  }
#endif
