#if TestKit
  import Foundation
  import URLLoadingSystem

  extension TestServer {
    /// Starts a server with `options` and loads a page from it in a new session. Both end afterwards.
    ///
    /// - Parameters:
    ///   - host: The host name in the URL of the page.
    ///   - session: The session's delegate.
    ///   - task: The task's delegate.
    /// - Returns: The code of the `URLError` with which the load fails; nil if it succeeds.
    package static func failureCode(
      _ options: Options, host: String = "127.0.0.1", _ configuration: URLSessionConfiguration,
      session delegate: (any URLSessionDelegate)? = nil, task: (any URLSessionTaskDelegate)? = nil
    ) async throws -> Int? {
      try await with(options) { server async throws in
        server.route("/", reply: .text("secret"))
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        defer { session.invalidateAndCancel() }
        do {
          _ = try await session.data(from: server.url("/", host: host), delegate: task)
          return nil
        } catch let error as URLError {
          return error.code.rawValue
        }
      }
    }
  }
#endif
