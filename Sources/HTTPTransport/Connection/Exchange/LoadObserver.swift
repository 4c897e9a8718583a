import LoadingModel
import ProtocolRules

/// Is told how one load goes on, beside what its record keeps: log lines, metrics and spans are made of it.
///
/// A load without one pays a comparison with nil for each call. Called on the load's event loop.
package protocol LoadObserver: AnyObject, Sendable {
  /// A request is about to be written to a connection; fields may be added to it, and none changed.
  func willSend(_ fields: inout HeaderFields)
  /// The request is written to a connection, as `record` says which; the record is copied if it is read.
  func sends(_ request: OutgoingRequest, _ record: @autoclosure () -> TransactionRecord)
  /// The load has come a step further.
  func took(_ step: LoadStep)
  /// An attempt has come to nothing, and the next transaction repeats its request.
  func willRepeat(after reason: RepeatReason)
  /// A transaction has ended, and one for `next` begins.
  func ended(_ record: TransactionRecord, next: LoadRequest)
  /// There is no network that the load may use, and it waits for one.
  func waitsForConnectivity()
  /// The app is asked about a challenge of this method.
  func challenged(_ method: String)
  /// The response that the app is given has arrived, without its body.
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
  /// How the cache answers the request, of one that it may answer.
  case cacheDecided(CacheDecision, CacheReason)
  /// The whole body has been handed to the connection, of a request whose body doesn't go along with its head.
  case bodySent(bytes: Int64)
  /// So much of the response's head has come, and not all.
  case headBegan(bytes: Int)
  /// A command of FTP, which may have a password in it.
  case command(String)
  /// The server's reply to one.
  case reply(code: Int, lines: [String])
}

/// Why a request is sent again.
package enum RepeatReason: Sendable {
  /// The attempt failed.
  case error(LoadError)
  /// The server answered with this status, after which the app wants it sent again.
  case status(Int)
}
