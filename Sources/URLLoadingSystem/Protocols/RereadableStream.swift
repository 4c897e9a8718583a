import Foundation
import LoadingModel

/// A stream over data or a file that begins anew each time it is opened. Used by one thread at a time.
final class RereadableStream: InputStream {
  private let make: () -> InputStream?
  private var source: InputStream?
  private var isClosed = false

  /// - Parameter make: Makes a stream that isn't open, at its beginning; nil makes reading fail.
  init(_ make: @escaping () -> InputStream?) {
    self.make = make
    super.init(data: Data())
  }

  override func open() {
    source?.close()
    source = make()
    source?.open()
    isClosed = source == nil
  }

  override func close() {
    source?.close()
    isClosed = true
  }

  override var streamStatus: Stream.Status { isClosed ? .closed : source?.streamStatus ?? .notOpen }
  override var streamError: (any Error)? { source?.streamError }
  override var hasBytesAvailable: Bool { source?.hasBytesAvailable ?? false }

  override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
    isClosed ? -1 : source?.read(buffer, maxLength: len) ?? -1
  }

  override func getBuffer(
    _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
  ) -> Bool { false }

  override func property(forKey key: Stream.PropertyKey) -> AnyObject? { source?.property(forKey: key) }

  override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
    source?.setProperty(property, forKey: key) ?? false
  }
}

extension LoadRequest {
  /// The request as an app's `URLProtocol` sees it: a body in memory or in a file is shown as a stream, as on Apple's platforms, which can be read
  /// any number of times. A body in memory stays in `httpBody` too, as in swift-corelibs-foundation.
  var shownToProtocol: LoadRequest {
    var shown = self
    switch body {
    case .data(let data):
      shown.mutate { $0.shownBody = ShownBody { RereadableStream { InputStream(data: data) } } }
    case .file(let url, _, _):
      shown.mutate { $0.shownBody = ShownBody { InputStream(url: url) == nil ? nil : RereadableStream { InputStream(url: url) } } }
    case .parts(let parts, _, _):
      shown.mutate { $0.shownBody = ShownBody { RereadableStream { PartsStream(parts) } } }
    case .none, .stream, .suppliedStream, .pieces: break
    }
    return shown
  }
}
