import Foundation
import LoadingModel

extension URLSession {
  /// Loads `request` and returns the whole body with the response.
  ///
  /// Cancelling the Swift task cancels the load and throws `URLError.cancelled`. An HTTP status of 400 and above isn't an error.
  /// - Parameter delegate: Asked and told before the session's delegate about challenges, redirects and metrics; not about data.
  /// - Throws: `URLError`.
  public func data(for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) {
    try await collect(request.load, delegate)
  }

  /// Loads `url` with GET and returns the whole body with the response.
  /// - Throws: `URLError`.
  public func data(from url: URL, delegate: (any URLSessionTaskDelegate)? = nil) async throws -> (Data, URLResponse) {
    try await collect(LoadRequest(url: url), delegate)
  }

  /// As `data(for:delegate:)`, without a delegate, so that a reference to the method such as `session.data(for:)` finds it.
  @_disfavoredOverload
  public func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    try await collect(request.load, nil)
  }

  /// As `data(from:delegate:)`, without a delegate, so that a reference to the method such as `session.data(from:)` finds it.
  @_disfavoredOverload
  public func data(from url: URL) async throws -> (Data, URLResponse) {
    try await collect(LoadRequest(url: url), nil)
  }

  private func collect(_ request: LoadRequest, _ delegate: (any URLSessionTaskDelegate)?) async throws -> (Data, URLResponse) {
    try await collect(makeDataTask(request, .awaited, delegate: delegate))
  }

  /// Starts a task made with `.awaited`, waits for it, and returns its body and response.
  func collect(_ task: URLSessionTask) async throws -> (Data, URLResponse) {
    try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { task.begin(returningTo: $0) }
    } onCancel: {
      task.cancel()
    }
  }
}
