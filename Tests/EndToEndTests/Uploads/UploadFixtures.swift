import Foundation
import LoadingModel
import URLLoadingSystem
import URLLoadingTestKit

extension HeaderList {
  /// These fields, and then those.
  static func + (first: HeaderList, second: HeaderList) -> HeaderList {
    var all = first
    for (name, value) in second { all.add(name, value) }
    return all
  }
}

/// A file to upload, deleted with its object.
final class SourceFile: Sendable {
  let url: URL
  let content: Data

  init(_ content: Data) throws {
    self.content = content
    url = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
    try content.write(to: url)
  }

  deinit { try? FileManager.default.removeItem(at: url) }
}

/// A delegate of streamed uploads: supplies the same bytes as often as it is asked, and logs in as "user".
final class BodySupplier: NSObject, URLSessionDataDelegate {
  private struct State {
    var asked = 0
    var offsets: [Int64] = []
    var error: (any Error)?
  }

  private let state = Mutex(State())
  private let ended = Signal()
  private let content: Data?

  /// - Parameter content: nil to have no stream when asked.
  init(_ content: Data?) { self.content = content }

  var asked: Int { state.withLock(\.asked) }
  var offsets: [Int64] { state.withLock(\.offsets) }

  /// The error of the task, once it has ended.
  func completion() async -> (any Error)? {
    await ended.wait()
    return state.withLock(\.error)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    state.withLock { $0.asked += 1 }
    completionHandler(content.map { InputStream(data: $0) })
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, needNewBodyStreamFrom offset: Int64,
    completionHandler: @escaping @Sendable (InputStream?) -> Void
  ) {
    state.withLock { $0.offsets.append(offset) }
    completionHandler(content.map { InputStream(data: $0.dropFirst(Int(offset))) })
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    completionHandler(.useCredential, URLCredential(user: "user", password: "password", persistence: .none))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    state.withLock { $0.error = error }
    ended.send()
  }
}

/// Writes bytes into a stream from a thread of its own, which the stream may block.
final class StreamWriter: @unchecked Sendable {
  // @unchecked: the stream is used by the one thread alone.
  private let stream: OutputStream
  private let content: Data

  init(_ stream: OutputStream, _ content: Data) {
    self.stream = stream
    self.content = content
  }

  func start() {
    let thread = Thread { [self] in
      stream.open()
      var rest = content[...]
      while !rest.isEmpty {
        let piece = Array(rest.prefix(10_000))
        let written = stream.write(piece, maxLength: piece.count)
        guard written > 0 else { break }
        rest = rest.dropFirst(written)
      }
      stream.close()
    }
    thread.start()
  }
}
