import Foundation
import LoadingModel

extension URLSession {
  /// Sends `request` and hands its response to `handle` as soon as its head is there, while the body is still being written. An addition to
  /// Apple's API.
  ///
  ///     let count = try await session.perform(request, body: .writer { writer in
  ///       for await line in lines { try await writer.write(Data(line.utf8)) }
  ///     }) { response, body in
  ///       try await body.reduce(0) { $0 + $1.count }
  ///     }
  ///
  /// The load ends with `handle`, whichever way that is left: what hasn't been read is given up, the writer is cancelled, and `perform` returns
  /// when both have ended. Where the server has answered to the end without the rest of the body, the rest isn't sent.
  /// - Parameters:
  ///   - body: In place of the request's own. The method isn't changed: set POST or PUT.
  ///   - delegate: Asked and told before the session's delegate about progress, challenges, redirects and metrics.
  ///   - isolation: Where `handle` runs: the caller's actor.
  ///   - handle: Given the response and its body in pieces, of which each is delivered once.
  /// - Returns: What `handle` returns.
  /// - Throws: What the code that produces the body has thrown, if that has ended the load; else what `handle` throws; else `URLError`.
  public func perform<Result: Sendable>(
    _ request: URLRequest, body: URLSessionRequestBody = .ofRequest, delegate: (any URLSessionTaskDelegate)? = nil,
    isolation: isolated (any Actor)? = #isolation, _ handle: (URLResponse, AsyncChunks) async throws -> Result
  ) async throws -> Result {
    let received = BodyChunks(window: 256 * 1024)
    let pieces: BodyPieces? = if case .pieces(let pieces) = body.kind { pieces } else { nil }
    let task = makeDataTask(body.applied(to: request.load), .bytes(received), delegate: delegate)
    // Outlives `handle`, so that the load isn't cancelled by a release in the middle of it.
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

  /// Returns when the load and the code that produces its body have ended.
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
