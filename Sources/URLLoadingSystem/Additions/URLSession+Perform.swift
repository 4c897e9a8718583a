import Foundation
import LoadingModel

extension URLSession {
  /// Sends `request` and calls `handle` with its response as soon as the head has arrived, while the request's body may still be written. An addition
  /// to Apple's API.
  ///
  ///     let count = try await session.perform(request, body: .writer { writer in
  ///       for await line in lines { try await writer.write(Data(line.utf8)) }
  ///     }) { response, body in
  ///       try await body.reduce(0) { $0 + $1.count }
  ///     }
  ///
  /// The load ends when `handle` returns or throws: unread bytes are dropped, the code that writes the body is cancelled, and `perform` returns when
  /// both have ended. If the server completes its response before it has the whole body, the remaining body isn't sent.
  /// - Parameters:
  ///   - body: The body to send. Default: the request's own. The method isn't changed: set POST or PUT.
  ///   - delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  ///   - isolation: The actor on which `handle` runs. Default: the caller's.
  ///   - handle: Gets the response and its body in pieces, each of which is delivered once.
  /// - Returns: The result of `handle`.
  /// - Throws: The error of the code that writes the body, if it threw one; otherwise the error of `handle`, or `URLError`.
  public func perform<Result: Sendable>(
    _ request: URLRequest, body: URLSessionRequestBody = .ofRequest, delegate: (any URLSessionTaskDelegate)? = nil,
    isolation: isolated (any Actor)? = #isolation, _ handle: (URLResponse, AsyncChunks) async throws -> Result
  ) async throws -> Result {
    let received = BodyChunks(window: 256 * 1024)
    let pieces: BodyPieces? = if case .pieces(let pieces) = body.kind { pieces } else { nil }
    let task = makeDataTask(body.applied(to: request.load), .bytes(received), delegate: delegate)
    // Keeps the body's readers present while `handle` runs: releasing the last one would cancel the load.
    let bytes = AsyncBytes(task: task, chunks: received)
    let outcome: Swift.Result<Result, any Error>
    do {
      outcome = .success(
        try await withTaskCancellationHandler {
          task.resume()
          let response = try await received.response()
          return try await handle(response, bytes.chunks)
        } onCancel: {
          task.cancel()
        })
    } catch {
      outcome = .failure(error)
    }
    await end(task, received, pieces)
    if let failure = pieces?.failure { throw failure }
    return try outcome.get()
  }

  /// Cancels the load, and returns when it and the code that writes its body have ended.
  private func end(_ task: URLSessionDataTask, _ received: BodyChunks, _ pieces: BodyPieces?) async {
    task.cancel()
    while (try? await received.nextChunk(isolation: nil)) != nil {}
    await pieces?.waitUntilIdle()
  }
}

extension URLSessionRequestBody {
  func applied(to request: LoadRequest) -> LoadRequest {
    var request = request
    switch kind {
    case .ofRequest: break
    case .data(let data): request.mutate { $0.body = .data(data) }
    case .file(let url): request.mutate { $0.body = .file(url) }
    case .pieces(let pieces): request.mutate { $0.body = .pieces(pieces) }
    }
    return request
  }
}
