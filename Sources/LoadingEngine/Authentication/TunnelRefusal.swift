import LoadingModel
import NIOCore

/// The body of a proxy's response to CONNECT that refused a tunnel. Its type marks the response, so that it isn't taken for the origin's.
final class TunnelRefusal: BodyReader {
  let error: LoadError

  init(_ error: LoadError) { self.error = error }

  func next() async throws(LoadError) -> ByteBuffer? { nil }
  func abandon() {}
}
