#if Inspector
  import Foundation
  import NIOCore
  import NIOHTTP1

  /// Answers the HTTP requests of one connection to the page's server. Confined to its event loop.
  final class PageHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The interval at which an event stream looks for changes, and after how many looks without a change it sends a comment.
    private static let lookInterval = TimeAmount.milliseconds(150)
    private static let quietLooks = 100

    private let access: PageAccess
    private let answers: PageAnswers
    private var head: HTTPRequestHead?
    private var stream: RepeatedTask?
    private var revision = -1
    private var wasPaused = false
    private var quiet = 0

    init(_ access: PageAccess, _ answers: PageAnswers) { (self.access, self.answers) = (access, answers) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head): self.head = head
      // A request's body is ignored, as no request of the page needs one.
      case .body: break
      case .end:
        guard let head = head.take() else { return }
        answer(head, context)
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      stream.take()?.cancel()
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
      switch access.answer(head) {
      case .refused(let status, let reason):
        let body = Data("\(reason)\n".utf8)
        send(PageAnswers.Answer(status: status, type: "text/plain; charset=utf-8", body: body), keepsAlive: false, context)
      case .granted("api/events", _) where head.method == .GET: begin(context)
      case .granted(let path, _):
        send(answers.answer(isPost: head.method == .POST, path), keepsAlive: head.isKeepAlive, context)
      }
    }

    private func send(_ answer: PageAnswers.Answer, keepsAlive: Bool, _ context: ChannelHandlerContext) {
      var fields = PageHandler.fields(answer.type)
      fields.add(name: "Content-Length", value: "\(answer.body.count)")
      if let name = answer.fileName { fields.add(name: "Content-Disposition", value: "attachment; filename=\"\(name)\"") }
      if !keepsAlive { fields.add(name: "Connection", value: "close") }
      let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: answer.status), headers: fields)
      context.write(wrapOutboundOut(.head(head)), promise: nil)
      context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
      let sent = context.writeAndFlush(wrapOutboundOut(.end(nil)))
      if !keepsAlive { sent.assumeIsolated().whenComplete { _ in context.close(promise: nil) } }
    }

    /// The header fields of every answer: only the page's own files may run or be loaded, nothing is cached, and no other site may embed or read it.
    static func fields(_ type: String) -> HTTPHeaders {
      [
        "Content-Type": type,
        "Content-Security-Policy": PageDocument.policy,
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
      ]
    }

    // MARK: - The event stream

    /// Begins a stream of server-sent events: first all transfers, then the changes. A page that reads slowly skips intermediate states.
    private func begin(_ context: ChannelHandlerContext) {
      let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: PageHandler.fields("text/event-stream"))
      context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
      let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
      stream = context.eventLoop.scheduleRepeatedTask(initialDelay: .zero, delay: PageHandler.lookInterval) { _ in
        let (handler, context) = bound.value
        handler.look(context)
      }
    }

    private func look(_ context: ChannelHandlerContext) {
      guard context.channel.isActive, context.channel.isWritable else { return }
      let isPaused = answers.inspector.isPaused
      let changes = answers.inspector.changes(since: revision)
      let isFirst = revision < 0
      guard changes.revision != revision || isPaused != wasPaused else { return sayNothing(context) }
      (revision, wasPaused, quiet) = (changes.revision, isPaused, 0)
      var bytes = Array("data: ".utf8)
      PageHandler.message(changes, isReset: isFirst, isPaused: isPaused).write(into: &bytes)
      bytes.append(contentsOf: "\n\n".utf8)
      write(ByteBuffer(bytes: bytes), context)
    }

    /// One message of the event stream, with the changes of the recording.
    /// - Parameter isReset: Whether the page has to discard the transfers that it has.
    private static func message(_ changes: TransferStore.Changes, isReset: Bool, isPaused: Bool) -> JSONValue {
      .object([
        ("reset", .bool(isReset)), ("paused", .bool(isPaused)), ("first", .int(Int64(changes.first))),
        ("rows", .array(changes.transfers.map(PageMessages.row))),
      ])
    }

    /// Called when nothing has changed: sends a comment every 15 seconds, so that a connection whose page has gone is noticed.
    private func sayNothing(_ context: ChannelHandlerContext) {
      quiet += 1
      guard quiet >= PageHandler.quietLooks else { return }
      quiet = 0
      write(ByteBuffer(string: ":\n\n"), context)
    }

    private func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
      context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(bytes))), promise: nil)
    }
  }
#endif
