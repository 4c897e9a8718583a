import Foundation
import Testing
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct ProxyEntranceTests {
  @Test(arguments: ["-1", "-9223372036854775808", "none", "9223372036854775808"])
  func lengthThatIsNoneCountsAsZero(_ length: String) async throws {
    var options = TestProxy.Options()
    options.converse = { _, authorization in authorization == nil ? .asks(challenge: "NTLM") : .letIn }
    options.connectAnswer = "HTTP/1.1 418 Answered\r\n\r\n"
    try await TestProxy.with(options) { proxy in
      let client = try await WireClient.connect(to: proxy.port)
      try await client.send("CONNECT a:1 HTTP/1.1\r\nContent-Length: \(length)\r\n\r\n")
      #expect(try await client.wait(for: "\r\n\r\nno").status == 407)
      try await client.send("CONNECT a:1 HTTP/1.1\r\nProxy-Authorization: NTLM x\r\n\r\n")
      #expect(try await client.wait(for: "Answered").text.contains("418"))
    }
  }
}
