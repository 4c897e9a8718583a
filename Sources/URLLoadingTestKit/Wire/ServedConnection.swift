#if TestKit
  import NIOCore
  import NIOHTTP2

  /// An accepted connection, as the server and the connection's streams use it to end it. Used on its event loop.
  protocol ServedConnection: Sendable {
    var eventLoop: any EventLoop { get }
    /// Ends the connection when the peer has received the bytes that were sent before.
    func end(_ kind: WireStep.Disconnection)
    /// Ends the connection at once, without an orderly close, as a crashed peer does.
    func breakOff()
    /// Sends GOAWAY. `isProcessed` says whether the request on `stream` counts as processed.
    func goAway(isProcessed: Bool, on stream: any Channel)
  }

  /// A connection over TCP, of HTTP/1 or HTTP/2.
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

    /// Sends HTTP/2's GOAWAY (RFC 9113, 6.8); the last stream ID is this stream's, or if it isn't processed the one before.
    func goAway(isProcessed: Bool, on stream: any Channel) {
      let own = (try? stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)).flatMap { Int($0) } ?? 1
      let last = HTTP2StreamID(isProcessed ? own : max(0, own - 2))
      let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: last, errorCode: .noError, opaqueData: nil)
      channel.writeAndFlush(HTTP2Frame(streamID: .rootStream, payload: payload), promise: nil)
    }
  }
#endif
