import Foundation

/// What was measured while a task loaded. Immutable.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.

  /// Where a response came from.
  public enum ResourceFetchType: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// From the network.
    case networkLoad = 1
    /// From the network, before it was asked for. Never reported.
    @available(*, deprecated, message: "Server push isn't supported.")
    case serverPush = 2
    /// From the local cache.
    case localCache = 3
  }

  /// How a host's addresses were looked up.
  public enum DomainResolutionProtocol: Int, Sendable {
    /// Not known, or no lookup.
    case unknown = 0
    /// DNS over UDP.
    case udp = 1
    /// DNS over TCP.
    case tcp = 2
    /// DNS over TLS.
    case tls = 3
    /// DNS over HTTPS.
    case https = 4
  }

  private let transactions: [URLSessionTaskTransactionMetrics]
  private let interval: DateInterval
  private let redirects: Int

  private init(_ transactions: [URLSessionTaskTransactionMetrics], _ interval: DateInterval, _ redirects: Int) {
    self.transactions = transactions
    self.interval = interval
    self.redirects = redirects
    super.init()
  }

  package convenience init(transactions: [URLSessionTaskTransactionMetrics], taskInterval: DateInterval, redirectCount: Int) {
    self.init(transactions, taskInterval, redirectCount)
  }

  /// Metrics of nothing.
  @available(*, deprecated, message: "Metrics come from a session.")
  public override init() {
    transactions = []
    interval = DateInterval(start: .distantPast, duration: 0)
    redirects = 0
    super.init()
  }

  /// One entry for each pair of request and response, in the order they happened.
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }

  /// From when the task was made until just before it was completed.
  open var taskInterval: DateInterval { interval }

  /// How many redirects were followed.
  open var redirectCount: Int { redirects }

  /// A line on the task, then a line on each transaction.
  open override var description: String {
    let head = "\(MetricsText.duration(taskInterval.duration)), \(redirectCount) redirects, \(transactionMetrics.count) transactions"
    return ([head] + transactionMetrics.map { "  " + $0.description }).joined(separator: "\n")
  }
}
