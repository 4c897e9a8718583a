import Foundation

/// The streams through which an app's `URLProtocol` reads a body that the loading system can make again: data or a file.
///
/// Copies of a request share it. Each caller of `stream` may read the whole body: the same stream is given out until it has been closed or
/// read to its end, then a new one.
package final class ShownBody: Sendable {
  private struct Current: @unchecked Sendable {
    // @unchecked: `InputStream` isn't Sendable; it is read by the app, and only its status here.
    var stream: InputStream?
  }

  private let make: @Sendable () -> InputStream?
  private let current = Mutex(Current())

  /// - Parameter make: A stream at the beginning of the body, not yet open; nil if the body can't be read.
  package init(_ make: @escaping @Sendable () -> InputStream?) { self.make = make }

  /// A stream that hasn't been read, or one that a reader is still in the middle of.
  package var stream: InputStream? {
    current.withLock { current -> Current in
      switch current.stream?.streamStatus {
      case nil, .atEnd, .closed, .error: current.stream = make()
      default: break
      }
      return current
    }.stream
  }
}
