import Foundation

/// The streams through which an app's `URLProtocol` reads a body that can be read again from its beginning: data or a file.
///
/// Copies of a request share it. Each caller of `stream` can read the whole body: the same stream is returned until it has been closed or read to
/// its end, then a new one.
package final class ShownBody: Sendable {
  private struct Current: @unchecked Sendable {
    // @unchecked: `InputStream` isn't Sendable; it is read by the app, and only its status here.
    var stream: InputStream?
  }

  private let make: @Sendable () -> InputStream?
  private let current = Mutex(Current())

  /// - Parameter make: Returns a new stream of the whole body, not yet open; nil if the body can't be read.
  package init(_ make: @escaping @Sendable () -> InputStream?) { self.make = make }

  /// The current stream, which may be partly read; a new one if that has been closed, has failed or is at its end.
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
