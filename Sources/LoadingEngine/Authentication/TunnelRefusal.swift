import LoadingModel
import NIOCore

/// The body of a proxy's answer in the place of a tunnel: it must not be taken for the origin's.
final class TunnelRefusal: BodyReader {
  let error: LoadError

  init(_ error: LoadError) { self.error = error }

  func next() async throws(LoadError) -> ByteBuffer? { nil }
  func abandon() {}
}
