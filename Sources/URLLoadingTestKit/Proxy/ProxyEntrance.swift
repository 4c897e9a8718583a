#if TestKit
  import Foundation
  import NIOCore
  import NIOPosix

  /// The handler of a proxy's client connection: reads the client's request, connects to the server and then relays bytes. Confined to its event
  /// loop.
  final class ProxyEntrance: ChannelInboundHandler, @unchecked Sendable {
    // @unchecked: confined to the channel's event loop; `record` and `ordinal` are immutable.
    typealias InboundIn = ByteBuffer

    enum State {
      case asked
      /// The proxy has answered with 407 and now reads and drops the rest of the request's body, this many bytes. Then the client may ask again.
      case skipping(Int)
      /// The proxy waits for the SOCKS 5 client's user and password (RFC 1929).
      case proving
      case requesting
      case connecting
      case relaying(any Channel)
      case over
    }

    let record: ProxyRecord
    let ordinal: Int
    var state = State.asked
    var unread: [UInt8] = []
    var user: String?

    init(_ record: ProxyRecord) {
      self.record = record
      ordinal = record.nextOrdinal()
    }

    func handlerAdded(context: ChannelHandlerContext) { if context.channel.isActive { context.read() } }

    func channelActive(context: ChannelHandlerContext) {
      context.read()
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let bytes = unwrapInboundIn(data)
      if case .relaying(let server) = state { return server.writeAndFlush(bytes, promise: nil) }
      unread += Array(bytes.readableBytesView)
      advance(context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      switch state {
      case .relaying(let server):
        if server.isWritable { context.read() } else { server.eventLoop.execute { [channel = context.channel] in channel.read() } }
      case .connecting: break
      case .asked, .skipping, .proving, .requesting, .over: context.read()
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      if case .relaying(let server) = state { server.close(promise: nil) }
      state = .over
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    func advance(_ context: ChannelHandlerContext) {
      guard let first = unread.first else {
        if case .skipping(0) = state { state = .asked }
        return
      }
      switch state {
      case .asked where first == 4: readSOCKS4(context)
      case .asked where first == 5: readMethods(context)
      case .asked: readHead(context)
      case .skipping(let count):
        let skipped = min(count, unread.count)
        unread.removeFirst(skipped)
        state = skipped == count ? .asked : .skipping(count - skipped)
        if skipped == count { advance(context) }
      case .proving: readProof(context)
      case .requesting: readSOCKS5(context)
      case .connecting, .relaying, .over: break
      }
    }

    // MARK: - HTTP

    private func readHead(_ context: ChannelHandlerContext) {
      guard let end = unread.firstRange(of: Array("\r\n\r\n".utf8)) else { return }
      let lines = String(decoding: unread[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
      let rest = Array(unread[end.upperBound...])
      unread = []
      let words = lines[0].split(separator: " ").map(String.init)
      let fields = lines.dropFirst().compactMap { line -> (name: String, value: String)? in
        guard let colon = line.firstIndex(of: ":") else { return nil }
        return (String(line[..<colon]), line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
      }
      guard words.count == 3 else { return refuse(context, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n") }
      let headers = HeaderList(fields)
      let kind: TestProxy.Kind = words[0] == "CONNECT" ? .connect : .forward
      if case .asks(let challenge)? = record.options.converse?(ordinal, headers["Proxy-Authorization"]) {
        note(kind, words[1], headers, isLetIn: false)
        return ask(context, challenge, skipping: max(0, Int(headers["Content-Length"] ?? "") ?? 0), rest)
      }
      let isWelcome = record.options.accepts(headers["Proxy-Authorization"])
      note(kind, words[1], headers, isLetIn: isWelcome)
      guard isWelcome else {
        let challenge = record.options.challenge ?? "Basic realm=\"proxy\""
        return refuse(
          context,
          "HTTP/1.1 407 Who are you?\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
      }
      if kind == .connect { connectTunnel(context, words[1]) } else { forward(context, words, fields, rest) }
    }

    /// Answers with a 407 that has this challenge and keeps the connection open, so that the client can ask again on it.
    private func ask(_ context: ChannelHandlerContext, _ challenge: String, skipping count: Int, _ rest: [UInt8]) {
      let page = record.options.refusal
      let answer = "HTTP/1.1 407 Who are you?\r\nProxy-Authenticate: \(challenge)\r\nContent-Length: \(page.utf8.count)\r\n\r\n\(page)"
      context.writeAndFlush(NIOAny(ByteBuffer(string: answer)), promise: nil)
      state = .skipping(count)
      unread = rest
      if !rest.isEmpty || count == 0 { advance(context) }
    }

    private func connectTunnel(_ context: ChannelHandlerContext, _ target: String) {
      if let answer = record.options.connectAnswer { return refuse(context, answer) }
      let (host, port) = ProxyEntrance.place(target, 443)
      connect(
        context, host, port, opened: Array("HTTP/1.1 200 Connection established\r\n\r\n".utf8), first: [],
        refused: Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }

    /// Connects to the server of a request in absolute-form and sends the request in origin-form. Later requests on the connection are relayed
    /// unchanged.
    private func forward(_ context: ChannelHandlerContext, _ words: [String], _ fields: [(name: String, value: String)], _ rest: [UInt8]) {
      guard let url = URL(string: words[1]), let host = url.host() else {
        return refuse(context, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
      }
      var path = url.path(percentEncoded: true)
      if path.isEmpty { path = "/" }
      if let query = url.query(percentEncoded: true) { path += "?" + query }
      var head = "\(words[0]) \(path) HTTP/1.1\r\n"
      for field in fields where !field.name.lowercased().hasPrefix("proxy-") { head += "\(field.name): \(field.value)\r\n" }
      connect(
        context, host, url.port ?? 80, opened: [], first: Array((head + "\r\n").utf8) + rest,
        refused: Array("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".utf8))
    }

    // MARK: - HTTP and SOCKS

    func note(_ kind: TestProxy.Kind, _ target: String, _ headers: HeaderList, isLetIn: Bool) {
      let visit = TestProxy.Connection(kind: kind, target: target, headers: headers, user: user, wasLetIn: isLetIn, connection: ordinal)
      record.connections.update { $0.append(visit) }
    }

    func refuse(_ context: ChannelHandlerContext, _ answer: String) { refuse(context, Array(answer.utf8)) }

    func refuse(_ context: ChannelHandlerContext, _ answer: [UInt8]) {
      state = .over
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: answer))).assumeIsolated().whenComplete { _ in context.close(promise: nil) }
    }

    func connect(
      _ context: ChannelHandlerContext, _ host: String, _ port: Int, opened: [UInt8], first: [UInt8], refused: [UInt8]
    ) {
      guard let address = record.address(host, port) else { return refuse(context, refused) }
      state = .connecting
      let client = context.channel
      ClientBootstrap(group: context.eventLoop)
        .channelOption(.tcpOption(.tcp_nodelay), value: 1)
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(ProxyReturn(client)) }
        }
        .connect(to: address).assumeIsolated().whenComplete { [self] result in
          switch result {
          case .success(let server):
            // If the client has closed its connection in the meantime, the new connection to the server is closed.
            guard case .connecting = state else { return server.close(promise: nil) }
            state = .relaying(server)
            if !opened.isEmpty { client.writeAndFlush(ByteBuffer(bytes: opened), promise: nil) }
            // Sends the server the first request and the bytes that the client has sent while the proxy was connecting.
            let early = first + unread
            unread = []
            if !early.isEmpty { server.writeAndFlush(ByteBuffer(bytes: early), promise: nil) }
            client.read()
          case .failure where record.isEnding.withLock({ $0 }): context.close(promise: nil)
          case .failure: refuse(context, refused)
          }
        }
    }

    private static func place(_ target: String, _ defaultPort: Int) -> (String, Int) {
      guard let colon = target.lastIndex(of: ":") else { return (target, defaultPort) }
      let host = target[..<colon].trimmingCharacters(in: ["[", "]"])
      return (host, Int(target[target.index(after: colon)...]) ?? defaultPort)
    }
  }

  /// The handler of the proxy's connection to a server: writes the server's bytes to the client.
  private final class ProxyReturn: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let client: any Channel

    init(_ client: any Channel) { self.client = client }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { client.writeAndFlush(unwrapInboundIn(data), promise: nil) }

    func channelInactive(context: ChannelHandlerContext) {
      // Writing an empty buffer completes after all earlier writes, so that the client gets them before its connection is closed.
      client.writeAndFlush(ByteBuffer()).assumeIsolated().whenComplete { [client] _ in client.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
#endif
