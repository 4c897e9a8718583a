import Foundation

/// The measurements of one task's load: its duration, redirects and transactions. Immutable.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {
  // @unchecked: every stored property is an immutable value; subclasses answer for what they add.

  /// Where a response came from: network or cache.
  public enum ResourceFetchType: Int, Sendable {
    /// It isn't known where the response came from.
    case unknown = 0
    /// From the network.
    case networkLoad = 1
    /// Pushed by the server before it was requested. Never reported.
    @available(*, deprecated, message: "Server push isn't supported.")
    case serverPush = 2
    /// From the local cache.
    case localCache = 3
  }

  /// How a host's addresses were looked up.
  public enum DomainResolutionProtocol: Int, Sendable {
    /// The protocol isn't known, or no address was looked up.
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

  /// Empty metrics, without transactions.
  @available(*, deprecated, message: "Metrics come from a session.")
  public override init() {
    transactions = []
    interval = DateInterval(start: .distantPast, duration: 0)
    redirects = 0
    super.init()
  }

  /// The measurements of each pair of request and response, in the order in which they took place.
  open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }

  /// The time from the making of the task until just before its completion.
  open var taskInterval: DateInterval { interval }

  /// How many redirects were followed.
  open var redirectCount: Int { redirects }

  /// The metrics as text: a line about the task, then a line about each transaction.
  open override var description: String {
    let head = "\(MetricsText.duration(taskInterval.duration)), \(redirectCount) redirects, \(transactionMetrics.count) transactions"
    return ([head] + transactionMetrics.map { "  " + $0.description }).joined(separator: "\n")
  }
}
