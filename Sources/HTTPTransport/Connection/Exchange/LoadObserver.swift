import LoadingModel

/// Is told how one load goes on, beside what its record keeps: log lines, metrics and spans are made of it.
///
/// A load without one pays a comparison with nil for each call. Called on the load's event loop.
package protocol LoadObserver: AnyObject, Sendable {
  /// A request is about to be written to a connection; fields may be added to it, and none changed.
  func willSend(_ fields: inout HeaderFields)
  /// The request is written to a connection, as `record` says which.
  func sends(_ request: OutgoingRequest, _ record: TransactionRecord)
  /// An attempt has come to nothing, and the next transaction repeats its request.
  func willRepeat(after reason: RepeatReason)
  /// A transaction has ended, and one for `next` begins.
  func ended(_ record: TransactionRecord, next: LoadRequest)
  /// There is no network that the load may use, and it waits for one.
  func waitsForConnectivity()
  /// The app is asked about a challenge of this method.
  func challenged(_ method: String)
  /// The response that the app is given has arrived, without its body.
  func received(_ record: TransactionRecord, _ response: LoadResponse)
  /// The load has ended; `record` is its last transaction. The last call, exactly once.
  func finished(_ record: TransactionRecord, _ error: LoadError?)
}

extension LoadObserver {
  package func sends(_ request: OutgoingRequest, _ record: TransactionRecord) {}
}

/// Why a request is sent again.
package enum RepeatReason: Sendable {
  /// The attempt failed.
  case error(LoadError)
  /// The server answered with this status, after which the app wants it sent again.
  case status(Int)
}
