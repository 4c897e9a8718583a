import HTTPPolicy
import HTTPTransport
import LoadingModel

@testable import LoadingEngine

/// A load that a bench has begun.
struct BenchLoad: Sendable {
  /// What came of it.
  struct Outcome: Sendable {
    var response: LoadResponse?
    var framing: ResponseBodyFraming?
    /// The body, as far as it could be read.
    var body = ""
    var error: LoadError?
    /// Its transactions, oldest first.
    var records: [TransactionRecord] = []

    var status: Int? { response?.status }
    func field(_ name: String) -> String? { response?.httpHead?.headers.first(name) }
  }

  let context: LoadContext
  let session: LoadSession
  let task: Task<Outcome, Never>

  var outcome: Outcome { get async { await task.value } }

  func cancel() { session.interrupt(context, .cancelled()) }
}
