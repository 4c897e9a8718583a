import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Runs `body` with a server that has the standard routes.
func withServer<R: Sendable>(_ body: (TestServer) async throws -> R) async throws -> R {
  var options = TestServer.Options()
  options.routes = .standard
  return try await TestServer.with(options, body)
}

/// The result of a function that reports by calling back once.
func result<T: Sendable>(_ start: (@escaping @Sendable (Result<T, any Error>) -> Void) throws -> Void) async throws -> T {
  let (results, continuation) = AsyncStream.makeStream(of: Result<T, any Error>.self)
  try start { continuation.yield($0) }
  for await result in results { return try result.get() }
  throw CancellationError()
}
