import NIOCore
import NIOSSL

extension ChannelHandlerContext {
  /// Closes a connection without waiting for the peer. TLS would send close_notify and wait five seconds for the peer's answer, which is
  /// not read any more; sending it is enough (RFC 8446, 6.1).
  func closeAtOnce() {
    let security = try? pipeline.syncOperations.context(handlerType: NIOSSLHandler.self)
    close(mode: .all, promise: nil)
    security?.close(mode: .all, promise: nil)
  }
}
