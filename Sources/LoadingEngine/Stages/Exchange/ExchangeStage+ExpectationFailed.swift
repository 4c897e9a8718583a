import HTTPTransport
import LoadingModel
import ProtocolRules

/// What follows a 417 (Expectation Failed) to a request with `Expect: 100-continue`.
extension ExchangeStage {
  /// RFC 9110, 10.1.1: "A client that receives a 417 (Expectation Failed) status code in response to a request containing a 100-continue
  /// expectation SHOULD repeat that request without a 100-continue expectation".
  static func refusesExpectation(_ loaded: Loaded, of request: LoadRequest) -> Bool {
    loaded.response.status == 417 && request.headers.listContains("Expect", token: "100-continue")
  }

  // Not inlined: an async function that waits keeps room for all that is inlined into it, in each load.
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
