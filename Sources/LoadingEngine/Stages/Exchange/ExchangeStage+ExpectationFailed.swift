import HTTPTransport
import LoadingModel
import ProtocolRules

/// Repeats a request with `Expect: 100-continue` after a 417 (Expectation Failed).
extension ExchangeStage {
  /// Whether the response refuses the request's expectation. RFC 9110, 10.1.1: "A client that receives a 417 (Expectation Failed) status code in
  /// response to a request containing a 100-continue expectation SHOULD repeat that request without a 100-continue expectation".
  static func refusesExpectation(_ loaded: Loaded, of request: LoadRequest) -> Bool {
    loaded.response.status == 417 && request.headers.listContains("Expect", token: "100-continue")
  }

  // Not inlined: the stack frame of an async function that waits, in each load, holds room for everything inlined into it.
  @inline(never)
  func withoutExpectation(
    _ request: LoadRequest, after loaded: Loaded, _ context: LoadContext, _ next: Next
  ) async throws(LoadError) -> Loaded {
    try await loaded.discardBody(context)
    context.record.response = loaded.response
    var plain = request
    plain.mutateHeaders { $0.remove("Expect") }
    context.beginTransaction(plain)
    return try await exchange(plain, context, next)
  }
}
