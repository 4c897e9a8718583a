import NIOCore

/// The descriptor of one channel's socket, asked for once: finding it takes casts that the runtime looks up for each call.
///
/// A part of the channel's handler, confined to its event loop.
struct KnownSocket {
  private var descriptor: CInt?

  /// nil if the channel has no socket, or it is closed.
  mutating func descriptor(of channel: any Channel) -> CInt? {
    // The channel closes it on the event loop, and isn't active from then on.
    guard channel.isActive else { return nil }
    if descriptor == nil { descriptor = channel.withSocket { $0 } }
    return descriptor
  }
}
