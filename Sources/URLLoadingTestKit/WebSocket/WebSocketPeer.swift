#if TestKit
  import Crypto
  import Foundation
  import NIOCore
  import NIOWebSocket

  /// The server's side of one WebSocket. NIOWebSocket decodes the client's frames, so that they are checked by code other than the client's own.
  ///
  /// Owned by its channel's pipeline and confined to the event loop.
  final class WebSocketPeer: ChannelInboundHandler {
    typealias InboundIn = NIOWebSocket.WebSocketFrame
    typealias OutboundOut = ByteBuffer

    private enum Mode {
      case script
      case echo
      case recording
      case stalled
    }

    private let service: WebSocketService
    private let server: ServerRecord
    private var steps: ArraySlice<WebSocketService.Step>
    private var mode: Mode
    /// The number of frames that the current `receive` step still waits for.
    private var awaited = 0
    private var isHeld = false
    private var gateWait: GateWait?
    private var context: ChannelHandlerContext?

    init(_ service: WebSocketService, _ server: ServerRecord) {
      (self.service, self.server) = (service, server)
      switch service.conduct {
      case .echo: (mode, steps) = (.echo, [])
      case .script(let script): (mode, steps) = (.script, script[...])
      }
    }

    /// Adds the frame decoder and a peer to the pipeline after `handler`, which passes the connection's bytes on. The peer starts its script at once.
    static func add(
      to pipeline: ChannelPipeline.SynchronousOperations, after handler: any ChannelHandler, _ service: WebSocketService,
      _ server: ServerRecord
    ) throws {
      let decoder = ByteToMessageHandler(WebSocketFrameDecoder(maxFrameSize: Int(UInt32.max)))
      try pipeline.addHandler(decoder, position: .after(handler))
      try pipeline.addHandler(WebSocketPeer(service, server), position: .after(decoder))
    }

    /// The 101 response to `request`.
    static func response(to request: RecordedRequest, _ service: WebSocketService) -> Data {
      let key = request.headers["Sec-WebSocket-Key"] ?? ""
      let accept = Data(Insecure.SHA1.hash(data: Data((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))).base64EncodedString()
      var headers: HeaderList = ["Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Accept": accept]
      for (name, value) in service.headers {
        if value.isEmpty {
          headers[name] = nil
        } else if headers.contains(name: name) {
          headers[name] = value
        } else {
          headers.add(name, value)
        }
      }
      let lines = ["HTTP/1.1 101 Switching Protocols"] + headers.map { "\($0.name): \($0.value)" } + ["", ""]
      return Data(lines.joined(separator: "\r\n").utf8)
    }

    func handlerAdded(context: ChannelHandlerContext) {
      self.context = context
      service.record.update { $0.opened += 1 }
      advance()
      readMore()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
      guard self.context != nil else { return }
      self.context = nil
      gateWait?.breakOff()
      service.record.update { $0.closed += 1 }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      take(WebSocketService.Frame(unwrapInboundIn(data)))
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      context.flush()
      readMore()
      context.fireChannelReadComplete()
    }

    /// Closes the connection after an error, such as a frame that breaks the protocol; no close frame is sent.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func readMore() {
      switch mode {
      case .script: if awaited > 0 { context?.read() }
      case .echo, .recording: context?.read()
      case .stalled: break
      }
    }

    private func take(_ frame: WebSocketService.Frame) {
      service.record.update { $0.frames.append(frame) }
      if case .echo = mode { echo(frame) }
      guard awaited > 0 else { return }
      awaited -= 1
      advance()
    }

    private func echo(_ frame: WebSocketService.Frame) {
      var answer = frame
      answer.isMasked = false
      switch frame.opcode {
      case .ping: answer.firstByte = 0x80 | WebSocketService.Frame.Opcode.pong.rawValue
      case .pong: return
      case .close:
        send(answer.bytes)
        context?.flush()
        context?.close(promise: nil)
        return
      case .text, .binary, .continuation, nil: break
      }
      send(answer.bytes)
    }

    private func send(_ bytes: Data) {
      guard let context else { return }
      let written = context.eventLoop.makePromise(of: Void.self)
      let server = server
      written.futureResult.whenSuccess { server.addSent(bytes.count) }
      context.write(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: written)
    }

    /// Performs the script's steps up to the next one that has to wait.
    private func advance() {
      guard case .script = mode, !isHeld, awaited == 0 else { return }
      while awaited == 0, !isHeld, context != nil, let step = steps.popFirst() { perform(step) }
      context?.flush()
      if awaited == 0, !isHeld, steps.isEmpty, case .script = mode { mode = .recording }
      readMore()
    }

    private func perform(_ step: WebSocketService.Step) {
      switch step {
      case .send(let frame): send(frame.bytes)
      case .sendBytes(let bytes): send(bytes)
      case .receive(let count): awaited = count
      case .wait(let gate):
        guard let context else { return }
        gateWait = GateWait(gate, self, on: context.eventLoop) { peer in
          peer.isHeld = false
          peer.advance()
        }
        isHeld = gateWait != nil
      case .echo: mode = .echo
      case .disconnect:
        context?.flush()
        context?.close(promise: nil)
      case .reset: context?.channel.reset()
      case .stall: mode = .stalled
      }
    }
  }
#endif
