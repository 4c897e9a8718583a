import NIOCore
import NIOSSL

extension ChannelHandlerContext {
  /// Closes a connection without waiting for the peer. TLS would say goodbye and wait five seconds for the peer's answer, which is not read any
  /// more; the goodbye is enough (RFC 8446, 6.1).
  func closeAtOnce() {
    let security = try? pipeline.syncOperations.context(handlerType: NIOSSLHandler.self)
    close(mode: .all, promise: nil)
    security?.close(mode: .all, promise: nil)
  }
}
