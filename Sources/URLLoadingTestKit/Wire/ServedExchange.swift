#if TestKit
  import Foundation
  import NIOCore

  /// One request and its reply while they are in progress. Owned by the connection's or stream's handler, used on its event loop.
  final class ServedExchange {
    var request: RecordedRequest
    /// The index of the request in the server's record; nil if it isn't recorded.
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

    /// Whether enough of the request's body has been received for the fault `breakOffWithinRequest`.
    var isToBreakOff: Bool { plan.breakOff.map { request.bodyLength >= $0 } ?? false }

    func reply(_ replySource: ReplySource) -> Reply {
      var reply = plan.responder(request, replySource)
      if let alternative = replySource.alternative, !reply.headers.contains(name: "Alt-Svc") { reply.headers.add("Alt-Svc", alternative) }
      return reply
    }

    var occasion: ReplyScript.Occasion {
      let isHTTP10 = request.version == "HTTP/1.0"
      let connection = request.headers
      // After CONNECT and upgrades NIO's parser treats later bytes as another protocol, so the connection can't be used for further requests.
      let switches = request.method == "CONNECT" || connection.contains(name: "Upgrade")
      let persists =
        isHTTP10 ? connection.listContains("Connection", token: "keep-alive") : !connection.listContains("Connection", token: "close")
      return ReplyScript.Occasion(isHead: request.method == "HEAD", isHTTP10: isHTTP10, keepsAlive: persists && !switches)
    }
  }
#endif
