import Foundation
import URLLoadingSystem

/// Learns when its session is done for good.
public final class SessionEnd: NSObject, URLSessionDelegate {
  private let onEnd: @Sendable ((any Error)?) -> Void

  public init(onEnd: @escaping @Sendable ((any Error)?) -> Void) { self.onEnd = onEnd }

  public func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { onEnd(error) }
}

/// Lets a session finish its load, then waits until it has released its delegate.
public func loadOnce(_ url: URL) async throws -> Int {
  let (ends, continuation) = AsyncStream.makeStream(of: Void.self)
  let session = URLSession(configuration: .default, delegate: SessionEnd { _ in continuation.finish() }, delegateQueue: nil)
  async let load = session.data(from: url)
  let length = try await load.0.count
  session.finishTasksAndInvalidate()
  for await _ in ends {}
  return length
}
