import HTTPTransport
import LoadingModel

/// The reason for which one transaction of a load was followed by another.
package enum TransactionEnd {
  /// A redirect was followed.
  case redirect
  /// The server or a proxy asked for credentials.
  case authentication
  /// The request is sent again because its connection was closed or broke.
  case failure(LoadError)
  /// The request is sent again by a retry policy, because of this status.
  case status(Int)
  /// Another reason: a cache validation without effect, a resumed upload, a misdirected request (421), or a refused expectation (417).
  case other

  /// - Parameter reason: The argument of `LoadObserver.willRepeat(after:)`, if that was called since the transaction began; otherwise nil.
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

/// The result of a load, as the value of a metric's dimension.
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
  /// The value of OpenTelemetry's `error.type`: the name of the error's `URLError.Code`, or the type of an error of the app's own.
  package var typeName: String {
    if let foreign { return "\(type(of: foreign.error))" }
    return "\(kind)"
  }

  /// The error's text for logs; nil for an error of the app's own, whose text might contain secrets.
  package var loggedMessage: String? { foreign == nil ? message : nil }
}

extension TransactionRecord {
  /// The value of OpenTelemetry's `network.protocol.version`; nil if no HTTP connection was used.
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

  /// Seconds until the load was given a connection or began to open one; nil if it got neither.
  var waitForConnection: Double? {
    guard let fetchStart, case .networkLoad = fetchType else { return nil }
    guard let begin = isReusedConnection ? requestStart : domainLookupStart ?? connectStart ?? requestStart else { return nil }
    // At least 0: the load may have taken over a connection that was being opened before the load began.
    return max(0, begin.seconds(since: fetchStart))
  }

  /// The duration of the TCP handshake in seconds; nil if there was none.
  var connectSeconds: Double? { TransactionRecord.seconds(connectStart, secureConnectionStart ?? connectEnd) }
}
