import NIOCore

/// Caches the descriptor of a channel's socket: asking NIO for it takes dynamic casts, which are slow.
///
/// A property of the channel's handler, confined to its event loop.
struct KnownSocket {
  private var descriptor: CInt?

  /// The socket's descriptor; nil if the channel has no socket or isn't active.
  mutating func descriptor(of channel: any Channel) -> CInt? {
    // NIO closes the descriptor on the event loop, and the channel is inactive from then on: a descriptor of an active channel is open.
    guard channel.isActive else { return nil }
    if descriptor == nil { descriptor = channel.withSocket { $0 } }
    return descriptor
  }
}
