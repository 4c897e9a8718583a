#if TestKit
  import NIOCore
  import NIOHTTP2

  /// Converts between the bytes of a tunnel and the DATA frames of its HTTP/2 or HTTP/3 stream. The stream's end is the end of the tunnelled
  /// connection (RFC 8441, 5).
  final class TunnelCodec: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .data(let frame):
        if case .byteBuffer(let bytes) = frame.data, bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
        if frame.endStream { close(context: context, mode: .all, promise: nil) }
      case .rstStream: context.close(promise: nil)
      default: break
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      context.write(wrapOutboundOut(.data(.init(data: .byteBuffer(unwrapOutboundIn(data))))), promise: promise)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
      let written = context.eventLoop.makePromise(of: Void.self)
      written.futureResult.assumeIsolated().whenComplete { _ in context.close(mode: .all, promise: promise) }
      context.writeAndFlush(wrapOutboundOut(.data(.init(data: .byteBuffer(ByteBuffer()), endStream: true))), promise: written)
    }
  }
#endif
