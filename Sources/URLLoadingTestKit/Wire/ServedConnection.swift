#if TestKit
  import NIOCore
  import NIOHTTP2

  /// An accepted connection, as those see it that end it: the server as a whole, and the streams that it carries. On its event loop.
  protocol ServedConnection: Sendable {
    var eventLoop: any EventLoop { get }
    /// Ends the connection once its peer has what was sent before.
    func end(_ kind: WireStep.Disconnection)
    /// Ends the connection at once, as a crashed peer does.
    func breakOff()
    /// GOAWAY, written on this stream; `isProcessed` if its request counts among those that were acted on.
    func goAway(isProcessed: Bool, on stream: any Channel)
  }

  /// A connection of TCP.
  struct ServedTCPConnection: ServedConnection {
    let channel: any Channel

    var eventLoop: any EventLoop { channel.eventLoop }

    func end(_ kind: WireStep.Disconnection) {
      switch kind {
      case .orderly: channel.close(promise: nil)
      case .abrupt, .exchange: channel.closeAbruptly()
      case .reset: channel.reset()
      }
    }

    func breakOff() { channel.closeAbruptly() }

    /// Of HTTP/2 (RFC 9113, 6.8).
    func goAway(isProcessed: Bool, on stream: any Channel) {
      let own = (try? stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)).flatMap { Int($0) } ?? 1
      let last = HTTP2StreamID(isProcessed ? own : max(0, own - 2))
      let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)
      channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
    }
  }
#endif
