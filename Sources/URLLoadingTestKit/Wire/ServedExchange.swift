#if TestKit
  import Foundation
  import NIOCore

  /// One request while it is being received and answered. Owned by its connection, on the event loop.
  final class ServedExchange {
    var request: RecordedRequest
    /// Where the server's record keeps the request.
    let place: Int?
    var keepsAlive = true
    let plan: ReplyPlan

    init(request: RecordedRequest, place: Int?, plan: ReplyPlan) {
      self.request = request
      self.place = place
      self.plan = plan
    }

    func append(_ buffer: ByteBuffer, limit: Int) {
      request.bodyLength += buffer.readableBytes
      let room = limit - request.body.count
      if room > 0 { request.body.append(contentsOf: buffer.readableBytesView.prefix(room)) }
    }

    /// Whether no more of the request is to be read.
    var isToBreakOff: Bool { plan.breakOff.map { request.bodyLength >= $0 } ?? false }

    func reply(_ replySource: ReplySource) -> Reply {
      var reply = plan.responder(request, replySource)
      if let alternative = replySource.alternative, !reply.headers.contains(name: "Alt-Svc") { reply.headers.add("Alt-Svc", alternative) }
      return reply
    }

    var occasion: ReplyScript.Occasion {
      let isHTTP10 = request.version == "HTTP/1.0"
      let connection = request.headers
      // After CONNECT and upgrades the parser takes what follows for another protocol.
      let switches = request.method == "CONNECT" || connection.contains(name: "Upgrade")
      let persists =
        isHTTP10 ? connection.listContains("Connection", token: "keep-alive") : !connection.listContains("Connection", token: "close")
      return ReplyScript.Occasion(isHead: request.method == "HEAD", isHTTP10: isHTTP10, keepsAlive: persists && !switches)
    }
  }
#endif
