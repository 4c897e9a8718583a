import Foundation
import Snippets
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct StreamSnippetTests {
  @Test func aMailServerIsAskedOverTLS() async throws {
    let authority = try TestCertificateAuthority()
    let script: [RawStep] = [
      .send("220 ready\r\n"), .read(until: "STARTTLS\r\n"), .send("220 go\r\n"), .startTLS(try authority.issue()), .read(until: "NOOP\r\n"),
      .send("250 ok\r\n"),
    ]
    try await TestServer.with(.raw(script)) { server async throws in
      let session = URLSession(configuration: .testing(trusting: authority))
      #expect(try await answer(to: "NOOP", from: "localhost", port: server.port, session: session) == "250 ok\r\n")
      session.invalidateAndCancel()
    }
  }

  @Test func aReplyFollowsTheEndOfTheQuestion() async throws {
    var options = TestServer.Options.raw([.readToEnd, .send("42"), .close])
    options.allowsHalfClose = true
    try await TestServer.with(options) { server async throws in
      #expect(try await reply(to: Data("?".utf8), from: "127.0.0.1", port: server.port) == Data("42".utf8))
    }
  }
}
