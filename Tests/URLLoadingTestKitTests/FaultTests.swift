import Foundation
import NIOCore
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
  @Test func gateHoldsTheReplyUntilItIsOpened() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      try await gate.reached()
      #expect(client.now.bytes.isEmpty)
      gate.open()
      #expect(try await client.wait(for: "late").status == 200)
      try await client.close()
    }
  }

  @Test func clientThatLeavesIsNoLongerHeldAtTheGate() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(faults: [.delayBeforeHeaders(gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      try await gate.reached()
      #expect(gate.waiting == 1)
      try await client.close()
      try await server.waitForConnections(open: 0)
      #expect(gate.waiting == 0)
    }
  }

  @Test func bodyCanBeHeldAfterTheHeaders() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(body: .text("late"), faults: [.delayBeforeBody(gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      let head = try await client.wait(for: "\r\n\r\n")
      #expect(head.body.isEmpty)
      gate.open()
      #expect(try await client.wait(for: "late").body == Data("late".utf8))
      try await client.close()
    }
  }

  @Test func gatedTrickleSendsOnePieceForEachRelease() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(body: .text("abcdef"), faults: [.trickle(chunkSize: 2, gate: gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      for (index, expected) in ["ab", "abcd", "abcdef"].enumerated() {
        try await gate.reached(index + 1)
        gate.release()
        let reply = try await client.wait { $0.body.count >= expected.count }
        #expect(reply.body == Data(expected.utf8))
      }
      try await client.close()
    }
  }

  @Test func trickleOfManyPiecesNeedsNoStack() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(body: .pattern(count: 5000), faults: [.trickle(chunkSize: 1)]))
      #expect(try await exchange(server).body.count == 5000)
    }
  }

  @Test func stallStopsAfterSoManyBytesAndGoesOnWhenReleased() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.stallAfter(bodyBytes: 40, gate: gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      try await gate.reached()
      #expect(try await client.wait { $0.body.count >= 40 }.body.count == 40)
      gate.open()
      #expect(try await client.wait { $0.body.count >= 100 }.body.count == 100)
      try await client.close()
    }
  }

  @Test func stallForGoodEndsWithTheClient() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.stallAfter(bodyBytes: 10)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      try await client.wait { $0.body.count >= 10 }
      try await client.close()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test(arguments: [
    ([Fault.disconnectBeforeHeaders], ""),
    ([.disconnectAfterHeaders], "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n"),
    ([.disconnectAfterBodyBytes(3)], "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nabc"),
    ([.disconnectAfterBodyBytes(0)], "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\n"),
    ([.disconnectAfterBodyBytes(99)], "HTTP/1.1 200 OK\r\nContent-Length: 26\r\n\r\nabcdefghijklmnopqrstuvwxyz"),
    ([.garbage(Data("\u{1}?!".utf8))], "\u{1}?!"),
    (
      [.wrongContentLength(5), .closeAfterReply(announce: false)], "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcdefghijklmnopqrstuvwxyz"
    ),
    ([.wrongContentLength(30), .disconnectAfterBodyBytes(26)], "HTTP/1.1 200 OK\r\nContent-Length: 30\r\n\r\nabcdefghijklmnopqrstuvwxyz"),
  ])
  func faultSendsExactlyWhatItSaysAndThenCloses(_ faults: [Fault], _ expected: String) async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .pattern(count: 26), faults: faults))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      let reply = try await client.waitForEnd()
      #expect(reply.text == expected)
      #expect(!reply.wasReset)
    }
  }

  @Test(arguments: [[Fault.reset], [.reset, .disconnectAfterBodyBytes(3)], [.disconnectAfterHeaders, .reset]])
  func resetIsSeenAsAReset(_ faults: [Fault]) async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .pattern(count: 26), faults: faults))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      #expect(try await client.waitForEnd().wasReset)
    }
  }

  @Test func cutInAChunkLeavesItUnfinished() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(body: .chunks([Data("abcdef".utf8), Data("ghi".utf8)]), faults: [.disconnectAfterBodyBytes(4)]))
      #expect(try await exchange(server).body == Data("6\r\nabcd".utf8))
    }
  }

  @Test(arguments: [true, false])
  func closeAfterReplyIsAnnouncedOnlyIfAsked(_ announce: Bool) async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(body: .text("x"), faults: [.closeAfterReply(announce: announce)]))
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      #expect(try await client.waitForEnd().text.contains("Connection: close") == announce)
    }
  }

  @Test func oversizedHeadersHaveTheirSize() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(faults: [.oversizedHeaders(bytes: 300_000)]))
      let reply = try await exchange(server)
      #expect(reply.text.contains("\r\nX-Oversized: " + String(repeating: "x", count: 300_000) + "\r\n"))
    }
  }

  @Test func slowReaderLeavesTheBodyWithTheSender() async throws {
    var options = TestServer.Options()
    options.receiveBufferSize = 16384
    try await TestServer.with(options) { server in
      let gate = Gate()
      server.enqueue(Reply(faults: [.slowReader(gate)]))
      let client = try await WireClient.connect(to: server)
      let size = 32 << 20
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(size)\r\n\r\n")
      client.sendLater(ByteBuffer(repeating: 1, count: size))
      try await gate.reached()
      #expect(try await server.waitForRequestHead().bodyLength == 0)
      gate.open()
      let request = try await server.waitForRequest()
      #expect(request.bodyLength == size)
      #expect(request.body.count == server.options.recordedBodyLimit)
      #expect(try await client.wait(for: "\r\n\r\n").status == 200)
      try await client.close()
    }
  }

  @Test func replyBeforeRequestBodyComesWithoutIt() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(413, faults: [.replyBeforeRequestBody]), Reply(200))
      let client = try await WireClient.connect(to: server)
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
      #expect(try await client.wait(for: "\r\n\r\n").status == 413)
      try await client.send("helloGET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await client.wait(for: "200 OK").text.contains("200 OK"))
      #expect(try await server.waitForRequest(1).bodyLength == 5)
      try await client.close()
    }
  }

  @Test func replyBeforeRequestBodyIsNotLostWhenTheServerCloses() async throws {
    try await TestServer.with { server in
      server.enqueue(Reply(413, faults: [.replyBeforeRequestBody, .closeAfterReply(announce: true)]))
      let client = try await WireClient.connect(to: server)
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\npartial")
      let reply = try await client.waitForEnd()
      #expect(reply.status == 413)
      #expect(!reply.wasReset)
    }
  }

  @Test func informationalResponseComesAtOnceAndOnlyOnce() async throws {
    try await TestServer.with { server async throws in
      let gate = Gate()
      server.enqueue(
        Reply(informational: [.init(104, headers: ["Location": "/a"])], faults: [.informationalAtOnce, .delayBeforeHeaders(gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n")
      let interim = try await client.wait(for: "\r\n\r\n")
      #expect(interim.status == 104 && interim.text.hasSuffix("\r\nLocation: /a\r\n\r\n"))
      try await client.send("body")
      try await gate.reached()
      gate.open()
      #expect(try await client.wait(for: "200 OK").text.components(separatedBy: "HTTP/1.1 ").count == 3)
      try await client.close()
    }
  }

  @Test(arguments: [0, 4]) func requestBreaksOffOnceSoManyBytesHaveCome(_ count: Int) async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(informational: [.init(104)], faults: [.informationalAtOnce, .breakOffWithinRequest(bodyBytes: count)]))
      let client = try await WireClient.connect(to: server)
      try await client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\n" + String(repeating: "x", count: count))
      let received = try await client.waitForEnd()
      #expect(received.status == 104 && received.body.isEmpty && !received.wasReset)
      try await server.waitForConnections(open: 0)
      #expect(server.requests.map(\.bodyLength) == [count] && server.requests.map(\.isComplete) == [false])
    }
  }

  @Test func requestWithFewerBytesIsAnswered() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(faults: [.breakOffWithinRequest(bodyBytes: 1)]))
      #expect(try await exchange(server).status == 200)
    }
  }

  @Test func replyBreaksOffAfterSoManyBytes() async throws {
    try await TestServer.with { server async throws in
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.breakOffAfter(bodyBytes: 40)]))
      let received = try await exchange(server)
      #expect(received.status == 200 && received.body.count == 40 && received.isClosed)
    }
  }

  @Test func expectationIsAnsweredWhenTheBodyIsWanted() async throws {
    try await TestServer.with { server in
      let gate = Gate()
      server.enqueue(Reply(faults: [.slowReader(gate)]))
      let client = try await WireClient.connect(to: server)
      try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
      try await gate.reached()
      #expect(client.now.bytes.isEmpty)
      gate.open()
      #expect(try await client.wait(for: "\r\n\r\n").text == "HTTP/1.1 100 Continue\r\n\r\n")
      try await client.send("ok")
      #expect(try await client.wait(for: "200 OK").text.hasSuffix("Content-Length: 0\r\n\r\n"))
      try await client.close()
    }
  }

  @Test func stalledClientCostsTheServerLittle() async throws {
    var options = TestServer.Options()
    options.sendBufferSize = 65536
    try await TestServer.with(options) { server in
      let size = 1 << 30
      server.enqueue(Reply(body: .repeating(0, count: size)))
      let client = try await WireClient.connect(to: server, reading: false)
      try await client.get("/")
      _ = try await server.waitForRequest()
      // A second exchange shows that the loop got past writing what the stalled one takes.
      server.enqueue(.text("other"))
      #expect(try await exchange(server).status == 200)
      #expect(server.sentBytes < 16 << 20)
      try await client.close()
      try await server.waitForConnections(open: 0)
    }
  }
}
