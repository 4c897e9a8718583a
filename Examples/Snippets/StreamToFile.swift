import Foundation
import URLLoadingSystem

/// Writes a body to a file as it arrives, so that it never has to fit into memory.
public final class FileWriter: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  // @unchecked: only the session's serial delegate queue touches the state.
  private let handle: FileHandle
  private var failure: (any Error)?
  private let completion: @Sendable ((any Error)?) -> Void

  public init(file: URL, completion: @escaping @Sendable ((any Error)?) -> Void) throws {
    try Data().write(to: file)
    handle = try FileHandle(forWritingTo: file)
    self.completion = completion
  }

  public func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    do {
      try handle.write(contentsOf: data)
    } catch {
      failure = error
      dataTask.cancel()
    }
  }

  public func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    try? handle.close()
    completion(failure ?? error)
  }
}

/// Loads a URL into a file.
public func load(_ url: URL, into file: URL) async throws {
  let (outcome, continuation) = AsyncThrowingStream.makeStream(of: Never.self)
  let writer = try FileWriter(file: file) { continuation.finish(throwing: $0) }
  let session = URLSession(configuration: .default, delegate: writer, delegateQueue: nil)
  session.dataTask(with: url).resume()
  session.finishTasksAndInvalidate()
  for try await _ in outcome {}
}
