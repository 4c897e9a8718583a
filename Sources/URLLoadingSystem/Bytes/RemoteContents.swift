package import Foundation
import LoadingModel

/// Loads a whole resource while the calling thread is blocked, for Foundation's synchronous initialisers such as `Data(contentsOf:)`.
///
/// The load doesn't need the blocked thread: it runs on the session's event loop and answers on the session's own queue.
package enum RemoteContents {
  // One session for the process, so that loads from one server share connections. Ephemeral, so that they leave no cookie, credential or cache entry
  // in the app's stores.
  private static let session = URLSession(configuration: .ephemeral)

  /// Loads the resource at `url`; returns its bytes, and the name of its text encoding if the server has sent one.
  /// - Throws: `CocoaError` with code `fileReadUnknown`. If the load failed, its underlying error is the `URLError`; if an HTTP server refused, the
  ///   status is in its debug description.
  package static func load(_ url: URL) throws -> (data: Data, textEncoding: String?) {
    let reply = PendingReply()
    session.dataTask(with: url) { data, response, error in reply.deliver(data, response, error) }.resume()
    let (data, response, error) = reply.wait()
    guard let data, error == nil else { throw failure(url, [NSUnderlyingErrorKey: error ?? URLError(.unknown)]) }
    if let http = response as? HTTPURLResponse, !carriesContents(http.statusCode) {
      throw failure(url, [NSDebugDescriptionErrorKey: "The server answered with HTTP status \(http.statusCode)."])
    }
    return (data, response?.textEncodingName)
  }

  /// Whether a response with this HTTP status is used as the resource: the same statuses as in swift-corelibs-foundation.
  package static func carriesContents(_ status: Int) -> Bool {
    switch status {
    case 101, 200...399, 401, 407: true
    default: false
    }
  }

  private static func failure(_ url: URL, _ details: [String: Any]) -> CocoaError {
    CocoaError(.fileReadUnknown, userInfo: details.merging([NSURLErrorKey: url]) { detail, _ in detail })
  }
}

/// Passes the result of a completion handler to the thread that waits for it.
final class PendingReply: Sendable {
  typealias Reply = (data: Data?, response: URLResponse?, error: (any Error)?)

  private let reply = Mutex<Reply>((nil, nil, nil))
  private let done = DispatchSemaphore(value: 0)

  func deliver(_ data: Data?, _ response: URLResponse?, _ error: (any Error)?) {
    reply.withLock { $0 = (data, response, error) }
    done.signal()
  }

  func wait() -> Reply {
    done.wait()
    return reply.withLock { $0 }
  }
}
