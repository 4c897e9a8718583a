#if Combine
  import Foundation
  import URLLoadingSystem
  import URLLoadingTestKit

  /// Runs `body` with a server that has the standard routes, and a session.
  func withServer<R: Sendable>(_ body: (TestServer, URLSession) async throws -> R) async throws -> R {
    var options = TestServer.Options()
    options.routes = .standard
    return try await TestServer.with(options) { server in
      let session = URLSession(configuration: .testing())
      defer { session.invalidateAndCancel() }
      return try await body(server, session)
    }
  }

  extension URLSession {
    /// Returns when what the session's delegate queue had to do before has been done.
    func flushCallbacks() async {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        delegateQueue.addBarrierBlock { continuation.resume() }
      }
    }
  }
#endif
