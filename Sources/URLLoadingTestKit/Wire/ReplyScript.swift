#if TestKit
  import Foundation
  import NIOCore
  import NIOHTTP1

  /// A reply compiled for one request: what is sent, and whether the connection may serve again. Pure.
  struct ReplyScript {
    /// What of the request decides how the reply is framed.
    struct Occasion {
      var isHead = false
      var isHTTP10 = false
      var keepsAlive = true
    }

    var steps: [WireStep] = []
    /// False if the connection is to be closed in order once the steps are done.
    private(set) var keepsAlive = true

    init(_ reply: Reply, for occasion: Occasion) {
      let plan = FaultPlan(reply.faults)
      steps += plan.gatesBeforeHeaders.map { .pass($0) }
      if let replacement = plan.replacement {
        steps += [.send(ByteBuffer(bytes: replacement)), .disconnect(plan.disconnection)]
        return
      }
      let framing = ReplyScript.framing(of: reply, plan, occasion)
      keepsAlive =
        occasion.keepsAlive && framing != .untilClose && !plan.closes && !reply.headers.listContains("Connection", token: "close")
      let payloads = reply.body.payloads
      let length = payloads.reduce(0) { $0 + $1.count }
      steps.append(.send(ReplyScript.head(reply, plan, framing, length: length, keepsAlive: keepsAlive, occasion)))
      if plan.disconnectsAfterHeaders {
        steps.append(.disconnect(plan.disconnection))
        return
      }
      guard !occasion.isHead, !ReplyScript.forbidsBody(reply.status) else { return }
      steps += plan.gatesBeforeBody.map { .pass($0) }
      appendBody(payloads, isChunked: framing == .chunked, plan, trailers: reply.trailers)
    }

    static func forbidsBody(_ status: Int) -> Bool { status < 200 || status == 204 || status == 304 }

    private static func framing(of reply: Reply, _ plan: FaultPlan, _ occasion: Occasion) -> Reply.Framing {
      if plan.announcedLength != nil { return .contentLength }
      guard case .automatic = reply.framing else { return reply.framing }
      let needsChunks = if case .chunks = reply.body { true } else { !reply.trailers.isEmpty }
      guard needsChunks else { return .contentLength }
      // RFC 9112, 6.1: no transfer coding towards an HTTP/1.0 client.
      return occasion.isHTTP10 ? .untilClose : .chunked
    }

    private static func head(
      _ reply: Reply, _ plan: FaultPlan, _ framing: Reply.Framing, length: Int, keepsAlive: Bool, _ occasion: Occasion
    ) -> ByteBuffer {
      var buffer = ByteBuffer()
      if !plan.hasInformed { buffer.write(reply.informational, version: reply.version) }
      buffer.writeHead(version: reply.version, status: reply.status, reason: reply.reason)
      var headers = reply.headers
      if !headers.contains(name: "Content-Length"), !headers.contains(name: "Transfer-Encoding") {
        switch framing {
        case .chunked: headers.add("Transfer-Encoding", "chunked")
        case .untilClose: break
        case .contentLength, .automatic:
          // RFC 9110, 8.6: none with 1xx and 204; with 304 only the length that a 200 would have had.
          if reply.status >= 200, reply.status != 204, reply.status != 304 || length > 0 {
            headers.add("Content-Length", String(plan.announcedLength ?? length))
          }
        }
      }
      if !headers.contains(name: "Connection") {
        if !keepsAlive, plan.announcesClose {
          headers.add("Connection", "close")
        } else if keepsAlive, occasion.isHTTP10 {
          headers.add("Connection", "keep-alive")
        }
      }
      if plan.oversizedBytes > 0 { headers.add("X-Oversized", String(repeating: "x", count: plan.oversizedBytes)) }
      buffer.writeFields(headers)
      return buffer
    }

    mutating func appendBody(_ payloads: [Payload], isChunked: Bool, _ plan: FaultPlan, trailers: HeaderList) {
      var cuts = plan.cuts[...]
      var position = 0
      /// Performs the cuts up to `position`; false once the connection is over.
      func performCuts(upTo position: Int) -> Bool {
        while let cut = cuts.first, cut.position <= position {
          cuts.removeFirst()
          steps.append(cut.step)
          if cut.step.isDisconnection { return false }
        }
        return true
      }
      guard performCuts(upTo: 0) else { return }
      for payload in payloads {
        var pace = plan.pace
        // Bytes that are at hand make one chunk, cut or not; generated ones make a chunk per piece.
        let isFramedWhole = if isChunked, case .data = payload { true } else { false }
        pace.isChunked = isChunked && !isFramedWhole
        if isFramedWhole { steps.append(.send(ByteBuffer(string: String(payload.count, radix: 16) + "\r\n"))) }
        var rest = payload
        while let cut = cuts.first, cut.position < position + rest.count {
          let (head, tail) = rest.split(at: cut.position - position)
          if head.count > 0 { steps.append(.payload(head, pace)) }
          position += head.count
          rest = tail
          guard performCuts(upTo: position) else { return }
        }
        steps.append(.payload(rest, pace))
        position += rest.count
        if isFramedWhole { steps.append(.send(ByteBuffer(string: "\r\n"))) }
      }
      guard performCuts(upTo: .max) else { return }
      if isChunked {
        var end = ByteBuffer(string: "0\r\n")
        end.writeFields(trailers)
        steps.append(.send(end))
      }
    }
  }

  extension ByteBuffer {
    mutating func write(_ informational: [Reply.Informational], version: String = "HTTP/1.1") {
      for interim in informational {
        writeHead(version: version, status: interim.status, reason: nil)
        writeFields(interim.headers)
      }
    }

    /// Writes a status line.
    fileprivate mutating func writeHead(version: String, status: Int, reason: String?) {
      writeString(version)
      writeString(" \(status) ")
      // NIO's table has no 103 (RFC 8297).
      writeString(reason ?? (status == 103 ? "Early Hints" : HTTPResponseStatus(statusCode: status).reasonPhrase))
      writeString("\r\n")
    }

    /// Writes fields and the empty line after them.
    fileprivate mutating func writeFields(_ fields: HeaderList) {
      for (name, value) in fields {
        writeString(name)
        writeString(": ")
        writeString(value)
        writeString("\r\n")
      }
      writeString("\r\n")
    }
  }
#endif
