import LoadingModel
import ProtocolRules
import Testing

struct ProxyScriptAnswerTests {
  private let origin = Origin(scheme: "https", host: "a.example", port: 443)

  private func routes(_ answer: String) throws -> [Route] { try ProxyScriptAnswer.routes(answer, to: origin) }

  @Test func waysAreTriedInTheirOrder() throws {
    let expected: [Route] = [
      .tunnel(Proxy(.http, host: "a", port: 8080)), .tunnel(Proxy(.https, host: "b", port: 443)),
      .tunnel(Proxy(.socks5h, host: "::1", port: 1)), .tunnel(Proxy(.socks4a, host: "d", port: 1080)), .direct,
    ]
    #expect(try routes(" PROXY a:8080;HTTPS b ; SOCKS5 [::1]:1; socks4\td;DIRECT;") == expected)
  }

  @Test func plainURLsAreForwarded() throws {
    let plain = Origin(scheme: "http", host: "a.example", port: 80)
    #expect(try ProxyScriptAnswer.routes("PROXY a:1", to: plain) == [.forward(Proxy(.http, host: "a", port: 1))])
  }

  @Test(arguments: ["", " ", ";;"]) func noAnswerMeansDirectly(_ answer: String) throws {
    #expect(try routes(answer) == [.direct])
  }

  @Test(arguments: ["PROXY", "QUIC a:1", "PROXY a:b", "undefined", "PROXY a b:1"])
  func answerThatIsNoneFailsTheLoad(_ answer: String) throws {
    let error = try #require(throws: LoadError.self) { try routes(answer) }
    #expect(error.proxy?.code == .scriptFailed)
  }

  @Test func unknownWaysAreLeftOut() throws {
    #expect(try routes("QUIC x:1; DIRECT") == [.direct])
  }
}
