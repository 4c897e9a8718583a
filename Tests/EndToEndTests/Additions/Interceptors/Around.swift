import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

/// An interceptor whose code is a test's.
struct Around: URLSessionInterceptor {
  typealias Body = @Sendable (URLRequest, URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse

  private let body: Body

  init(_ body: @escaping Body) { self.body = body }

  func intercept(_ request: URLRequest, _ next: URLSessionInterceptorChain) async throws -> URLSessionInterceptedResponse {
    try await body(request, next)
  }

  /// Adds a word to the field `X-Way`, and to `log` on the way down and up.
  static func word(_ word: String, _ log: Log) -> Around {
    Around { request, next in
      var request = request
      request.addValue(word, forHTTPHeaderField: "X-Way")
      log.add("\(word) down")
      let response = try await next(request)
      log.add("\(word) \(response.statusCode ?? 0)")
      return response
    }
  }

  /// What interceptors have come by.
  final class Log: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock(\.self) }

    /// - Returns: How many there are.
    @discardableResult func add(_ line: String) -> Int {
      lines.withLock { lines in
        lines.append(line)
        return lines.count
      }
    }
  }
}

extension Wire {
  /// Runs `body` with a server that has these replies and a session with these interceptors.
  func serve(
    _ interceptors: [any URLSessionInterceptor], _ replies: [Reply] = [], _ configure: (URLSessionConfiguration) -> Void = { _ in },
    body: (TestServer, URLSession) async throws -> Void
  ) async throws {
    try await serve { server, configuration async throws in
      configuration.interceptors = interceptors
      configure(configuration)
      server.enqueue(contentsOf: replies)
      let session = URLSession(configuration: configuration)
      try await body(server, session)
      session.invalidateAndCancel()
    }
  }
}
