import Foundation
import NIOSSL
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct RawServerTests {
  @Test func scriptSendsExactBytesAfterReading() async throws {
    try await TestServer.with(.raw([.read(until: "\r\n\r\n"), .send("HTTP/1.1 200 Fine\r\n"), .send(Data([0, 255])), .close])) { server in
      let client = try await WireClient.connect(to: server)
      try await client.get("/x")
      #expect(try await client.waitForEnd().bytes == Data("HTTP/1.1 200 Fine\r\n".utf8) + Data([0, 255]))
      #expect(String(decoding: server.received(), as: UTF8.self) == "GET /x HTTP/1.1\r\nHost: test\r\n\r\n")
    }
  }

  @Test func scriptWaitsForANamedGate() async throws {
    try await TestServer.with(.raw([.send("a"), .waitForRelease("go"), .send("b")])) { server in
      let client = try await WireClient.connect(to: server)
      try await server.gate("go").reached()
      #expect(try await client.wait(for: "a").text == "a")
      server.gate("go").open()
      #expect(try await client.wait(for: "b").text == "ab")
      try await client.close()
      try await server.waitForConnections(open: 0)
    }
  }

  @Test func readingByCountLeavesTheRestForTheNextStep() async throws {
    try await TestServer.with(.raw([.read(count: 3), .send("three "), .read(until: "!"), .send("mark"), .close])) { server in
      let client = try await WireClient.connect(to: server)
      try await client.send("abcdef!")
      #expect(try await client.waitForEnd().text == "three mark")
    }
  }

  @Test func resetStepResets() async throws {
    try await TestServer.with(.raw([.readRequestHead, .reset])) { server in
      let client = try await WireClient.connect(to: server)
      try await client.get("/")
      #expect(try await client.waitForEnd().wasReset)
    }
  }

  @Test func eachConnectionGetsItsOwnScript() async throws {
    try await TestServer.with(.rawInTurn([[.send("1"), .close], [.send("2"), .close]])) { server in
      for expected in ["1", "2", ""] {
        let client = try await WireClient.connect(to: server)
        #expect(try await client.waitForEnd().text == expected)
      }
    }
  }

  @Test func halfClosedClientIsStillServed() async throws {
    var options = TestServer.Options.raw([.readToEnd, .send("bye"), .close])
    options.allowsHalfClose = true
    try await TestServer.with(options) { server in
      let client = try await WireClient.connect(to: server)
      try await client.send("hello")
      try await client.closeOutput()
      #expect(try await client.waitForEnd().text == "bye")
    }
  }

  @Test func echoReturnsWhatComes() async throws {
    var options = TestServer.Options.raw([.echo, .send("."), .close])
    options.allowsHalfClose = true
    try await TestServer.with(options) { server in
      let client = try await WireClient.connect(to: server)
      let text = String(repeating: "0123456789", count: 100_000)
      try await client.send(text)
      #expect(try await client.wait { $0.bytes.count >= text.utf8.count }.text == text)
      try await client.closeOutput()
      #expect(try await client.waitForEnd().text == text + ".")
    }
  }

  @Test func whatComesAfterTheScriptIsRecorded() async throws {
    try await TestServer.with(.raw([.send("hi")])) { server in
      let client = try await WireClient.connect(to: server)
      _ = try await client.wait(for: "hi")
      try await client.send("later")
      #expect(try await server.waitForBytes(5) == Data("later".utf8))
      try await client.close()
    }
  }

  @Test func scriptRunsOverTLS() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.behaviour = .raw([.readRequestHead, .send("secret"), .close])
    try await TestServer.with(options) { server in
      let client = try await WireClient.connect(to: server, security: .init(trusted: authority.pem, hostname: "localhost"))
      try await client.get("/")
      let reply = try await client.waitForEnd()
      #expect(reply.text == "secret")
      #expect(reply.error == nil)
    }
  }

  @Test func abruptCloseOverTLSIsSeenAsTruncation() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.behaviour = .raw([.readRequestHead, .send("part"), .closeAbruptly])
    try await TestServer.with(options) { server in
      let client = try await WireClient.connect(to: server, security: .init(trusted: authority.pem, hostname: "localhost"))
      try await client.get("/")
      let reply = try await client.waitForEnd()
      #expect(reply.text == "part")
      #expect(reply.error?.contains("uncleanShutdown") == true)
    }
  }

  @Test func plainConnectionCanGoOverToTLS() async throws {
    let authority = try TestCertificateAuthority()
    let script: [RawStep] = [
      .read(until: "STARTTLS\r\n"), .send("GO\r\n"), .startTLS(try authority.issue()), .read(until: "secret?"), .send("secret!"), .close,
    ]
    try await TestServer.with(.raw(script)) { server in
      let client = try await WireClient.connect(to: server)
      try await client.send("STARTTLS\r\n")
      _ = try await client.wait(for: "GO\r\n")
      try await client.startTLS(.init(trusted: authority.pem, hostname: "localhost"))
      try await client.send("secret?")
      #expect(try await client.waitForEnd().text == "GO\r\nsecret!")
      #expect(server.failedHandshakes == 0)
    }
  }
}
