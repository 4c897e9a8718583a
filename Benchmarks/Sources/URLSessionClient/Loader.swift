import Foundation
import Measuring

#if FOUNDATION_NETWORKING_PEER
  import FoundationNetworking
#else
  import URLLoadingSystem
#endif

/// One of URLSession's interfaces, reduced to what the benchmark needs.
protocol Loader: Sendable {
  /// The session that makes the tasks; owned by the loader.
  var session: URLSession { get }

  /// Where the benchmark's own tasks run; nil for the default.
  var executor: (any TaskExecutor)? { get }

  /// Loads once and returns the number of body bytes.
  func load(_ request: URLRequest) async throws -> Int
}

extension Loader {
  var executor: (any TaskExecutor)? { nil }
}

/// Awaits `data(for:)`.
struct AsyncLoader: Loader {
  let session: URLSession

  func load(_ request: URLRequest) async throws -> Int {
    let (data, response) = try await session.data(for: request)
    try requireSuccess(response)
    return data.count
  }
}

#if !FOUNDATION_NETWORKING_PEER
  /// Awaits `data(for:)` on the session's event loop.
  struct LoopLoader: Loader {
    let session: URLSession
    var executor: (any TaskExecutor)? { session.taskExecutor }

    func load(_ request: URLRequest) async throws -> Int {
      let (data, response) = try await session.data(for: request)
      try requireSuccess(response)
      return data.count
    }
  }
#endif

/// Gives each task a completion handler.
struct CompletionLoader: Loader {
  let session: URLSession

  func load(_ request: URLRequest) async throws -> Int {
    try await withCheckedThrowingContinuation { continuation in
      let task = session.dataTask(with: request) { data, response, error in
        continuation.resume(
          with: Result {
            if let error { throw error }
            try requireSuccess(response)
            return data?.count ?? 0
          })
      }
      task.resume()
    }
  }
}

/// Throws unless the reply brought the document or the part of it that was asked for.
func requireSuccess(_ response: URLResponse?) throws {
  let status = (response as? HTTPURLResponse)?.statusCode
  guard [200, 201, 204, 206].contains(status) else {
    throw BenchmarkFailure(status.map { "status \($0)" } ?? "no HTTP response")
  }
}
