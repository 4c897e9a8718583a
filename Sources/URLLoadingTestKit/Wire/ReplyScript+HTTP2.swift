#if TestKit
  import NIOCore

  extension ReplyScript {
    /// Compiles a reply for a stream of HTTP/2 or HTTP/3, where frames mark the end of the body and there are no connection-specific fields.
    init(onStream reply: Reply, isHead: Bool) {
      let plan = FaultPlan(reply.faults)
      steps += plan.gatesBeforeHeaders.map { .pass($0) }
      if let code = plan.resetCode {
        steps.append(.act(.reset(code)))
        return
      }
      if let isProcessed = plan.goesAway { steps.append(.act(.goAway(isProcessed: isProcessed))) }
      if plan.goesAway == false { return }
      guard plan.replacement == nil else {
        steps.append(.disconnect(plan.disconnection))
        return
      }
      if !plan.hasInformed { steps += reply.informational.map { .fields(StreamFields(status: $0.status, fields: $0.headers)) } }
      let payloads = reply.body.payloads
      let isEmpty = payloads.isEmpty && plan.cuts.isEmpty && reply.trailers.isEmpty
      let carriesBody = !isHead && !isEmpty && !ReplyScript.forbidsBody(reply.status)
      let length = payloads.reduce(0) { $0 + $1.count }
      var head = StreamFields(status: reply.status, fields: ReplyScript.fields(of: reply, plan, length: length))
      head.endsStream = !carriesBody && !plan.disconnectsAfterHeaders
      // The closing steps come before the frame that ends the stream, as no further step is performed after it.
      let farewell: [WireStep] =
        plan.closes ? (plan.announcesClose ? [.act(.goAway(isProcessed: true))] : []) + [.act(.closeAfterwards)] : []
      if head.endsStream { steps += farewell }
      steps.append(.fields(head))
      if plan.disconnectsAfterHeaders {
        steps.append(.disconnect(plan.disconnection))
        return
      }
      if carriesBody {
        steps += plan.gatesBeforeBody.map { .pass($0) }
        appendBody(payloads, isChunked: false, plan, trailers: [:])
        if let last = steps.last, last.isDisconnection { return }
        steps += farewell
        steps.append(reply.trailers.isEmpty ? .act(.end) : .fields(StreamFields(fields: reply.trailers, endsStream: true)))
      }
    }

    private static func fields(of reply: Reply, _ plan: FaultPlan, length: Int) -> HeaderList {
      // RFC 9113, 8.2.2: connection-specific fields make a message malformed.
      let hopByHop: Set = ["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"]
      var headers = HeaderList(reply.headers.filter { !hopByHop.contains($0.name.lowercased()) })
      let isUnannounced =
        switch (reply.framing, reply.body) {
        case (.chunked, _), (.untilClose, _), (.automatic, .chunks): true
        case (.automatic, _): !reply.trailers.isEmpty
        case (.contentLength, _): false
        }
      let isExpected = reply.status >= 200 && reply.status != 204 && (reply.status != 304 || length > 0)
      if let announced = plan.announcedLength {
        headers.add("Content-Length", String(announced))
      } else if !isUnannounced, isExpected, !headers.contains(name: "Content-Length") {
        headers.add("Content-Length", String(length))
      }
      if plan.oversizedBytes > 0 { headers.add("X-Oversized", String(repeating: "x", count: plan.oversizedBytes)) }
      return headers
    }
  }
#endif
