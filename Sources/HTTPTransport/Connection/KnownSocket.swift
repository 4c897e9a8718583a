import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Caches the descriptor of a channel's socket: asking NIO for it takes dynamic casts, which are slow.
///
/// A property of the channel's handler, confined to its event loop.
package struct KnownSocket {
  private var descriptor: CInt?

  package init() {}

  /// The socket's descriptor; nil if the channel has no socket or isn't active.
  mutating func descriptor(of channel: any Channel) -> CInt? {
    // NIO closes the descriptor on the event loop, and the channel is inactive from then on: a descriptor of an active channel is open.
    guard channel.isActive else { return nil }
    if descriptor == nil { descriptor = channel.withSocket { $0 } }
    return descriptor
  }

  /// Bytes written to the channel that the peer hasn't acknowledged: those that wait here, and those in the system's buffer.
  package mutating func unacknowledgedBytes(of channel: any Channel) -> Int {
    let waiting = (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    var count: CInt = 0
    // SIOCOUTQ, which is TIOCOUTQ: a failure leaves zero.
    if let socket = descriptor(of: channel) { _ = ioctl(socket, UInt(TIOCOUTQ), &count) }
    return waiting + Int(count)
  }
}
