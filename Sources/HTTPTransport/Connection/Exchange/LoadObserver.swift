import LoadingModel
import ProtocolRules

/// Observes the progress of one load, for log lines, metrics and spans: events that its record doesn't contain.
///
/// A load without an observer pays a comparison with nil for each call. Called on the load's event loop.
package protocol LoadObserver: AnyObject, Sendable {
  /// A request is about to be written to a connection. The observer may add header fields, and must not change existing ones.
  func willSend(_ fields: inout HeaderFields)
  /// The request is being written to a connection, which `record` names. The record is copied only if the observer reads it.
  func sends(_ request: OutgoingRequest, _ record: @autoclosure () -> TransactionRecord)
  /// The load has taken a step between its request and its response, such as sending the body or receiving a part of the head.
  func took(_ step: LoadStep)
  /// An attempt has failed or was refused: the next transaction sends its request again.
  func willRepeat(after reason: RepeatReason)
  /// The transaction of `record` has ended and one for `next` begins, by a redirect or a retry.
  func ended(_ record: TransactionRecord, next: LoadRequest)
  /// There is no network that the load may use, and it waits for one.
  func waitsForConnectivity()
  /// The app is asked to answer an authentication challenge of this method, such as "NSURLAuthenticationMethodServerTrust".
  func challenged(_ method: String)
  /// The head of the response that the app is given has arrived.
  func received(_ record: @autoclosure () -> TransactionRecord, _ response: LoadResponse)
  /// The load has ended; `record` is its last transaction. The last call, exactly once.
  func finished(_ record: TransactionRecord, _ error: LoadError?)
}

extension LoadObserver {
  package func sends(_ request: OutgoingRequest, _ record: @autoclosure () -> TransactionRecord) {}
  package func took(_ step: LoadStep) {}
}

/// A step of one load between its request and its response.
package enum LoadStep: Sendable {
  /// The cache has decided how to answer the request, for requests that it may answer.
  case cacheDecided(CacheDecision, CacheReason)
  /// The whole body has been handed to the connection; not told for a body that is sent together with the head.
  case bodySent(bytes: Int64)
  /// The first part of the response's head has arrived, of this many bytes.
  case headBegan(bytes: Int)
  /// A command of FTP has been sent; it may contain a password.
  case command(String)
  /// The FTP server's reply to a command.
  case reply(code: Int, lines: [String])
}

/// Why a request is sent again.
package enum RepeatReason: Sendable {
  /// The attempt failed with this error.
  case error(LoadError)
  /// The server answered with this status, after which the app wants it sent again.
  case status(Int)
}
