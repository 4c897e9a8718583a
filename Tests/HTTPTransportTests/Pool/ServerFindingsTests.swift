import LoadingModel
import ProtocolRules
import Testing

@testable import HTTPTransport

@Suite(.timeLimit(.minutes(10))) struct ServerFindingsTests {
  private func origin(_ host: String) -> Origin { Origin(scheme: "https", host: host, port: 443) }

  @Test func nothingIsHeldAgainstAnUnknownServer() {
    let findings = ServerFindings()
    #expect(!findings.restrictAny)
    #expect(!findings.isRestricted(origin("a.example")))
    #expect(!findings.isSeparate(origin("a.example")))
    #expect(findings.allowsPipelining(Destination(origin("a.example"))))
  }

  @Test func findingsAreOfOneOriginAndOneKind() {
    var findings = ServerFindings()
    findings.restrict(origin("a.example"))
    findings.separate(origin("b.example"))
    findings.pipelineBroke(origin("c.example"))
    #expect(findings.restrictAny)
    #expect(["a.example", "b.example", "c.example"].map { findings.isRestricted(origin($0)) } == [true, false, false])
    #expect(["a.example", "b.example", "c.example"].map { findings.isSeparate(origin($0)) } == [false, true, false])
    #expect(
      ["a.example", "b.example", "c.example"].map { findings.allowsPipelining(Destination(origin($0))) } == [true, true, false])
  }

  @Test func proxyThatForwardsIsNotPipelinedTo() {
    let proxy = Proxy(.http, host: "proxy.example", port: 3128)
    let plain = Origin(scheme: "http", host: "a.example", port: 80)
    #expect(!ServerFindings().allowsPipelining(Destination(plain, .forward(proxy))))
    #expect(ServerFindings().allowsPipelining(Destination(plain, .tunnel(proxy))))
  }

  @Test func memoryIsBounded() {
    var findings = ServerFindings()
    for number in 0...ServerFindings.limit { findings.restrict(origin("\(number).example")) }
    #expect(!findings.isRestricted(origin("0.example")))
    #expect(findings.isRestricted(origin("1.example")))
  }

  @Test(arguments: [
    (HTTPVersions.http1, "https", PoolMachine<Destination>.NegotiatedProtocol.single), (.http1AndHTTP2, "https", .unknown),
    (.http1AndHTTP2, "http", .single), (.all, "https", .unknown), (.http3Only, "https", .unknown), (.all, "wss", .single),
  ])
  func versionsSayWhatToExpect(versions: HTTPVersions, scheme: String, expected: PoolMachine<Destination>.NegotiatedProtocol) {
    #expect(versions.expected(of: Destination(Origin(scheme: scheme, host: "a.example", port: 443))) == expected)
  }

  @Test func sessionOfHTTP3AloneRefusesWhatItCannotCarry() throws {
    let proxy = Proxy(.http, host: "proxy.example", port: 3128)
    let refused = [
      Destination(Origin(scheme: "http", host: "a.example", port: 80)), Destination(origin("a.example"), .tunnel(proxy)),
      Destination(origin("a.example"), offer: .http1),
    ]
    for destination in refused {
      #expect(throws: LoadError.self) { try HTTPVersions.http3Only.check(destination, DialPlan()) }
      try HTTPVersions.all.check(destination, DialPlan())
    }
    try HTTPVersions.http3Only.check(Destination(origin("a.example")), DialPlan())
  }
}
