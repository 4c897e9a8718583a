import NIOCore

/// A connected channel without a socket, on any event loop: a `MemoryPeer` receives what is written, and what it sends is read here.
///
/// Reads only when it is asked to, as the engine's sockets do. Confined to its event loop, beside the constant properties.
final class MemoryChannel: Channel, ChannelCore, @unchecked Sendable {
  // @unchecked: the variables are confined to the event loop.
  let eventLoop: any EventLoop
  let allocator = ByteBufferAllocator()
  let localAddress: SocketAddress?
  let remoteAddress: SocketAddress?
  let parent: (any Channel)? = nil
  private let closePromise: EventLoopPromise<Void>
  private(set) lazy var pipeline = ChannelPipeline(channel: self)
  private(set) var isActive = false
  var isWritable: Bool { isActive }

  /// Told of what is written.
  var written: (ByteBuffer) -> Void = { _ in }
  /// Told that nothing more will be written.
  var ended: () -> Void = {}
  /// What a socket would still hold of what was written, as the other side hasn't acknowledged it.
  var unacknowledgedBytes = 0
  private var unflushed: [(bytes: ByteBuffer, promise: EventLoopPromise<Void>?)] = []
  private var inbox: [ByteBuffer] = []
  private var wantsRead = false
  private var isEnded = false
  private var isClosed = false

  init(_ eventLoop: any EventLoop, local: SocketAddress?, remote: SocketAddress?) {
    self.eventLoop = eventLoop
    localAddress = local
    remoteAddress = remote
    closePromise = eventLoop.makePromise()
    _ = pipeline
  }

  var closeFuture: EventLoopFuture<Void> { closePromise.futureResult }
  var _channelCore: any ChannelCore { self }
  var syncOptions: (any NIOSynchronousChannelOptions)? { Options(channel: self) }
  func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) -> EventLoopFuture<Void> {
    eventLoop.makeSucceededVoidFuture()
  }
  func getOption<Option: ChannelOption>(_ option: Option) -> EventLoopFuture<Option.Value> {
    eventLoop.makeFailedFuture(ChannelError.operationUnsupported)
  }

  // MARK: the other side

  func connected() {
    guard !isClosed else { return }
    isActive = true
    pipeline.fireChannelActive()
  }

  func receive(_ bytes: ByteBuffer) {
    inbox.append(bytes)
    deliver()
  }

  func receiveEnd() {
    isEnded = true
    deliver()
  }

  private func deliver() {
    while wantsRead, isActive {
      if !inbox.isEmpty {
        wantsRead = false
        pipeline.fireChannelRead(inbox.removeFirst())
        pipeline.fireChannelReadComplete()
      } else if isEnded {
        return close0(error: ChannelError.eof, mode: .all, promise: nil)
      } else {
        return
      }
    }
  }

  // MARK: ChannelCore

  func localAddress0() throws -> SocketAddress { try unwrapped(localAddress) }
  func remoteAddress0() throws -> SocketAddress { try unwrapped(remoteAddress) }
  private func unwrapped(_ address: SocketAddress?) throws -> SocketAddress {
    guard let address else { throw ChannelError.unknownLocalAddress }
    return address
  }

  func register0(promise: EventLoopPromise<Void>?) { promise?.succeed() }
  func registerAlreadyConfigured0(promise: EventLoopPromise<Void>?) { promise?.succeed() }
  func bind0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }
  func connect0(to: SocketAddress, promise: EventLoopPromise<Void>?) { promise?.fail(ChannelError.operationUnsupported) }

  func write0(_ data: NIOAny, promise: EventLoopPromise<Void>?) {
    guard !isClosed else {
      promise?.fail(ChannelError.ioOnClosedChannel)
      return
    }
    unflushed.append((unwrapData(data, as: ByteBuffer.self), promise))
  }

  func flush0() {
    let flushed = unflushed
    unflushed = []
    for (bytes, promise) in flushed {
      written(bytes)
      promise?.succeed()
    }
  }

  func read0() {
    wantsRead = true
    // As from a socket: what comes is told later, not within the call.
    eventLoop.execute { self.deliver() }
  }

  func close0(error: any Error, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    guard !isClosed else {
      promise?.fail(ChannelError.alreadyClosed)
      return
    }
    if case .output = mode { ended() }
    guard case .all = mode else {
      promise?.succeed()
      return
    }
    isClosed = true
    ended()
    for (_, writing) in unflushed { writing?.fail(error) }
    unflushed = []
    let wasActive = isActive
    isActive = false
    promise?.succeed()
    if wasActive { pipeline.fireChannelInactive() }
    eventLoop.execute {
      self.removeHandlers(pipeline: self.pipeline)
      self.closePromise.succeed()
    }
  }

  func triggerUserOutboundEvent0(_ event: Any, promise: EventLoopPromise<Void>?) { promise?.succeed() }
  func channelRead0(_ data: NIOAny) {}
  func errorCaught0(error: any Error) {}

  /// Options as a socket has them, as far as the engine asks for them.
  private struct Options: NIOSynchronousChannelOptions {
    let channel: MemoryChannel

    func setOption<Option: ChannelOption>(_ option: Option, value: Option.Value) {}
    func getOption<Option: ChannelOption>(_ option: Option) throws -> Option.Value {
      guard option is ChannelOptions.Types.BufferedWritableBytesOption, let bytes = channel.unacknowledgedBytes as? Option.Value else {
        throw ChannelError.operationUnsupported
      }
      return bytes
    }
  }
}
