import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct FramingTests {
  private static let last: [RawStep] = [.readRequestHead, .send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nlast")]

  /// Loads from a server that sends `reply` and then, on the same connection, one more reply.
  private func load(
    _ reply: String, method: String = "GET", _ wire: Wire = .plain, isFollowed: Bool = true
  ) async throws -> (text: String, response: HTTPURLResponse) {
    var result: (String, HTTPURLResponse)?
    let first: [RawStep] = [.readRequestHead, .send(reply)]
    let scripts = isFollowed ? [first + FramingTests.last] : [first + [.close], FramingTests.last]
    try await wire.serve({ $0.behaviour = .rawInTurn(scripts) }) { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      result = try await session.text(for: URLRequest(method, server.url()))
      #expect(try await session.text(from: server.url()).0 == "last")
      #expect(server.acceptedConnections == scripts.count)
      session.invalidateAndCancel()
    }
    return try #require(result)
  }

  @Test(arguments: Wire.http1) func responsesWithoutABodyKeepTheConnection(_ wire: Wire) async throws {
    let length = "Content-Length: 100\r\n\r\n"
    let head = try await load("HTTP/1.1 200 OK\r\n" + length, method: "HEAD", wire)
    #expect(head.text.isEmpty)
    #expect(head.response.expectedContentLength == 100)
    #expect(try await load("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", method: "HEAD", wire).text.isEmpty)
    #expect(try await load("HTTP/1.1 204 No Content\r\n\r\n", wire).response.statusCode == 204)
    #expect(try await load("HTTP/1.1 304 Not Modified\r\n" + length, wire).response.statusCode == 304)
    #expect(try await load("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", wire).text.isEmpty)
    #expect(try await load("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", wire).text.isEmpty)
  }

  @Test func responsesWithoutABodyKeepTheConnectionOfHTTP2() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let length: HeaderList = ["Content-Length": "100"]
      server.enqueue(Reply(headers: length), Reply(204), Reply(304, headers: length), Reply(), Reply(framing: .chunked))
      let head = try await session.text(for: URLRequest("HEAD", server.url()))
      #expect(head.0.isEmpty && head.1.expectedContentLength == 100)
      for status in [204, 304, 200, 200] {
        let (text, response) = try await session.text(from: server.url())
        #expect(text.isEmpty && response.statusCode == status)
      }
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [
    "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n",
    "5;name=value\r\nhello\r\n6;x=\"quoted\"\r\n world\r\n0;last\r\n\r\n",
    "005\r\nhello\r\n0006\r\n world\r\n000\r\n\r\n",
    "b\r\nhello world\r\n0\r\nX-Trailer: 1\r\nContent-MD5: x\r\n\r\n",
    "B\r\nhello world\r\n0\r\n\r\n",
  ])
  func chunksAreJoined(_ chunks: String) async throws {
    let (text, response) = try await load("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
    #expect(text == "hello world")
    #expect(response.expectedContentLength == -1)
    #expect(response.value(forHTTPHeaderField: "X-Trailer") == nil)
  }

  @Test(
    arguments: [
      "Transfer-Encoding: x-unknown\r\n\r\nbody",
      "Transfer-Encoding: chunked, chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
      "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
    ], Wire.http1)
  func oddTransferCodingsAreReadAsInBrowsersAndEndTheConnection(_ rest: String, _ wire: Wire) async throws {
    #expect(try await load("HTTP/1.1 200 OK\r\n" + rest, wire, isFollowed: false).text == "body")
  }

  @Test(
    arguments: [
      "HTTP/1.1 200\r\nContent-Length: 4\r\n\r\nbody",
      "HTTP/1.1 200 \r\nContent-Length: 4\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh:4\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nContent-Length:   4  \r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: Chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: Keep-Alive\r\n\r\nbody",
      "HTTP/1.0 200 OK\r\nContent-Length: 4\r\nConnection: keep-alive\r\n\r\nbody",
      "HTTP/1.1 599 Odd but legal\r\nContent-Length: 4\r\n\r\nbody",
      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody",
    ], Wire.http1)
  func headIsUnderstoodAndTheConnectionKept(_ reply: String, _ wire: Wire) async throws {
    #expect(try await load(reply, wire).text == "body")
  }

  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\n\r\nbody",
      "HTTP/1.0 200 OK\r\n\r\nbody",
      "HTTP/1.0 200 OK\r\nContent-Length: 4\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: x, Close\r\n\r\nbody",
      "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbodysurplus",
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nbody",
    ], Wire.http1)
  func connectionEndsWithTheBody(_ reply: String, _ wire: Wire) async throws {
    #expect(try await load(reply, wire, isFollowed: false).text == "body")
  }

  /// Loads an empty response with these fields.
  private func response(with fields: HeaderList, _ wire: Wire) async throws -> HTTPURLResponse {
    guard wire.isMultiplexed else {
      let lines = fields.map { $0.value.isEmpty ? "\($0.name):\r\n" : "\($0.name): \($0.value)\r\n" }.joined()
      return try await load("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + lines + "\r\n", wire).response
    }
    var response: HTTPURLResponse?
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(headers: fields))
      let session = URLSession(configuration: configuration)
      response = try await session.text(from: server.url()).1
      session.invalidateAndCancel()
    }
    return try #require(response)
  }

  @Test(arguments: Wire.allCases) func fieldsReachTheApp(_ wire: Wire) async throws {
    let fields: HeaderList = ["X-One": "1", "x-list": "a", "X-List": "b", "X-Empty": "", "X-Latin": "caf\u{E9}"]
    let response = try await response(with: fields, wire)
    #expect(response.value(forHTTPHeaderField: "x-ONE") == "1")
    #expect(response.value(forHTTPHeaderField: "X-List") == "a, b")
    #expect(response.value(forHTTPHeaderField: "X-Empty") == "")
    #expect(response.value(forHTTPHeaderField: "X-Latin") == "caf\u{E9}")
  }

  /// RFC 9112, 5.2: a user agent replaces a fold by spaces.
  @Test(arguments: Wire.http1) func foldedFieldIsJoined(_ wire: Wire) async throws {
    let (_, response) = try await load(
      "HTTP/1.1 200 OK\r\nX-Folded: first\r\n  second\r\nContent-Length: 0\r\n\r\n", wire)
    #expect(response.value(forHTTPHeaderField: "X-Folded") == "first second")
  }

  @Test(arguments: Wire.allCases) func manyFieldsAreTaken(_ wire: Wire) async throws {
    // The server of HTTP/2 sends its head in one frame, of 16 KiB at most.
    let value = String(repeating: "v", count: wire.isMultiplexed ? 10 : 100)
    let fields = HeaderList((0..<500).map { (name: "X-\($0)", value: value) })
    #expect(try await response(with: fields, wire).allHeaderFields.count == 501)
  }

  /// Over HTTP/2 it is cut off, as every flood is: MisbehavingHTTP2Tests.
  @Test(arguments: Wire.http1) func floodOfInformationalResponsesIsSurvived(_ wire: Wire) async throws {
    let flood = String(repeating: "HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n", count: 20_000)
    #expect(try await load(flood + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody", wire).text == "body")
  }

  @Test(arguments: [0, 1, 65_535, 65_536, 1_000_000], Wire.allCases)
  func bodyOfAnyLengthArrivesWhole(_ count: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      let letters = Data((0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) })
      for framing in [Reply.Framing.contentLength, .chunked, .untilClose] {
        server.enqueue(Reply(body: .pattern(count: count), framing: framing))
        #expect(try await session.data(from: server.url()).0 == letters)
      }
      session.invalidateAndCancel()
    }
  }
}
