import HTTPTransport
import LoadingModel

/// Why one transaction of a load was followed by another.
package enum TransactionEnd {
  /// A redirect was followed.
  case redirect
  /// The server or a proxy asked for credentials.
  case authentication
  /// The connection was dead or broke, and the request is sent again.
  case failure(LoadError)
  /// The app wants the request sent again after this status.
  case status(Int)
  /// A validation without effect, a resumed upload, a wrong connection (421), an expectation that was refused (417).
  case other

  /// - Parameter reason: What `LoadObserver.willRepeat(after:)` was told since the transaction began.
  package init(_ record: TransactionRecord, _ reason: RepeatReason?) {
    switch reason {
    case .error(let error):
      self = .failure(error)
      return
    case .status(let status):
      self = .status(status)
      return
    case nil: break
    }
    switch record.response?.status {
    case 304: self = .other
    case 401, 407: self = .authentication
    case .some(300..<400): self = .redirect
    default: self = .other
    }
  }
}

/// How a load ended, as a metric's dimension says it.
enum LoadOutcome: Int, CaseIterable {
  case success, failure, cancelled, timeout

  init(_ error: LoadError?) {
    switch error?.kind {
    case nil: self = .success
    case .cancelled: self = .cancelled
    case .timedOut: self = .timeout
    default: self = .failure
    }
  }
}

extension LoadError {
  /// What is called `error.type` by OpenTelemetry: one word of few, as `URLError.Code` names it; the type of an error of the app's own.
  package var typeName: String {
    if let foreign { return "\(type(of: foreign.error))" }
    return "\(kind)"
  }

  /// What happened, for a log; nil for the text of the app's own errors, which may say anything.
  package var loggedMessage: String? { foreign == nil ? message : nil }
}

extension TransactionRecord {
  /// What OpenTelemetry calls `network.protocol.version`; nil where no connection was used.
  var protocolVersion: String? {
    switch networkProtocolName {
    case "http/1.1": "1.1"
    case "http/1.0": "1.0"
    case "h2": "2"
    case "h3": "3"
    default: nil
    }
  }

  /// Seconds from one event to another; nil unless both took place, in this order.
  static func seconds(_ start: Instant?, _ end: Instant?) -> Double? {
    guard let start, let end, end >= start else { return nil }
    return end.seconds(since: start)
  }

  /// Seconds until the load had a connection, or began to open one of its own; nil if it got neither.
  var waitForConnection: Double? {
    guard let fetchStart, case .networkLoad = fetchType else { return nil }
    guard let begin = isReusedConnection ? requestStart : domainLookupStart ?? connectStart ?? requestStart else { return nil }
    // A connection that was being opened before the load came: it waited for no place in the line.
    return max(0, begin.seconds(since: fetchStart))
  }

  /// Seconds of the TCP handshake.
  var connectSeconds: Double? { TransactionRecord.seconds(connectStart, secureConnectionStart ?? connectEnd) }
}
