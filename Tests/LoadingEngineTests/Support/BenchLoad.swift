import HTTPTransport
import LoadingModel
import ProtocolRules

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

  let load: Load
  let session: LoadSession
  let task: Task<Outcome, Never>
  var context: LoadContext { load.context }

  /// What came of it, once it has ended. A test whose time is up cancels the load.
  var outcome: Outcome {
    get async {
      await withTaskCancellationHandler {
        await task.value
      } onCancel: {
        cancel()
      }
    }
  }

  func cancel() { session.interrupt(context, .cancelled()) }
}
