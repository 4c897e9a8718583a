import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct ExchangeStageTests {
  private let bench = StageBench()
  private let request = LoadRequest("http://192.0.2.1/x?y")

  private func begin(
    _ request: LoadRequest, _ client: RecordingClient = RecordingClient(), prepare: @escaping @Sendable (Load) -> Void = { _ in }
  ) -> BenchLoad {
    bench.begin(request, through: [ExchangeStage(session: bench.session)], client, prepare: prepare)
  }

  private static let empty = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

  @Test func requestIsSentAndItsResponseRead() async throws {
    let load = begin(request)
    let peer = try await bench.network.peer()
    let head = try await peer.receive()
    #expect(head.hasPrefix("GET /x?y HTTP/1.1\r\nHost: 192.0.2.1\r\n"))
    #expect(head.contains("User-Agent: bench\r\n"))
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\nX-Own: 1\r\n\r\none")
    peer.send("two")
    let outcome = await load.outcome
    #expect(outcome.body == "onetwo")
    #expect(outcome.field("X-Own") == "1")
    #expect(outcome.framing == .length(6))
    #expect(outcome.response?.expectedLength == 6)
  }

  @Test func transactionKnowsItsConnectionAndItsBytes() async throws {
    let load = begin(request)
    let peer = try await bench.network.peer()
    let head = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
    let record = try #require(await load.outcome.records.last)
    #expect(record.fetchType == .networkLoad)
    #expect(record.networkProtocolName == "http/1.1")
    #expect(record.connection?.remoteAddress == "192.0.2.1")
    #expect(!record.isReusedConnection)
    #expect(record.requestHeaderBytes == Int64(head.utf8.count))
    #expect(record.responseBodyBytes == 3)
    #expect(record.requestEnd != nil && record.responseStart != nil && record.responseEnd != nil)
  }

  @Test func needForAFreshConnectionEndsWithItsResponse() async throws {
    let load = begin(request, prepare: { $0.context.terms.need = .fresh })
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    #expect(load.context.terms.need == .any)
  }

  @Test func originThatHasAnsweredOverANewConnectionIsRemembered() async throws {
    let origin = try #require(request.target?.origin)
    let load = begin(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    let before = try await bench.onLoop { [bench] in bench.session.hasAnswered(origin) }
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    let after = try await bench.onLoop { [bench] in bench.session.hasAnswered(origin) }
    #expect(!before && after)
  }

  @Test func connectionServesOneLoadAfterAnother() async throws {
    let peer: MemoryPeer
    do {
      let load = begin(request)
      peer = try await bench.network.peer()
      _ = try await peer.receive()
      peer.send(ExchangeStageTests.empty)
      #expect(await load.outcome.status == 200)
    }
    let second = begin(request)
    _ = try await peer.receive()
    peer.send(ExchangeStageTests.empty)
    #expect(await second.outcome.records.last?.isReusedConnection == true)
    #expect(bench.network.attempts == 1)
  }

  @Test func smallBodyGoesWithTheHead() async throws {
    let client = RecordingClient()
    let load = begin(LoadRequest("http://192.0.2.1/", method: "POST", body: .data(Data("hello".utf8))), client)
    let peer = try await bench.network.peer()
    #expect(try await peer.receive().contains("Content-Length: 5\r\n"))
    #expect(try await peer.receive(upTo: "hello") == "hello")
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    #expect(client.events == [.sent(5, of: 5)])
  }

  @Test func streamGoesInChunks() async throws {
    let client = RecordingClient()
    let load = begin(LoadRequest("http://192.0.2.1/", method: "PUT", body: .stream(InputStream(data: Data("hello".utf8)))), client)
    let peer = try await bench.network.peer()
    #expect(try await peer.receive().contains("Transfer-Encoding: chunked\r\n"))
    #expect(try await peer.receive(upTo: "0\r\n\r\n") == "5\r\nhello\r\n0\r\n\r\n")
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    #expect(client.events == [.willSendBody(-1), .sent(5, of: -1)])
  }

  @Test func bodyWaitsForTheServersWordWhereItIsExpected() async throws {
    let client = RecordingClient()
    let request = LoadRequest("http://192.0.2.1/", method: "PUT", [("Expect", "100-continue")], body: .data(Data("hello".utf8)))
    let load = begin(request, client)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    try await bench.clock.waitForWake(within: 1)
    #expect(!client.events.contains(.sent(5, of: 5)))
    peer.send("HTTP/1.1 100 Continue\r\n\r\n")
    #expect(try await peer.receive(upTo: "hello") == "hello")
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    #expect(client.events.contains(.informational(100)))
  }

  @Test func bodyWaitsNoLongerThanASecond() async throws {
    let request = LoadRequest("http://192.0.2.1/", method: "PUT", [("Expect", "100-continue")], body: .data(Data("hello".utf8)))
    let load = begin(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    try await bench.clock.waitForWake(within: 1)
    bench.clock.advance(by: 1)
    #expect(try await peer.receive(upTo: "hello") == "hello")
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
  }

  /// RFC 9110, 10.1.1.
  @Test func expectationThatFailsIsTakenBack() async throws {
    let request = LoadRequest("http://192.0.2.1/", method: "PUT", [("Expect", "100-continue")], body: .data(Data("hello".utf8)))
    let load = begin(request)
    _ = try await bench.network.peer().receive()
    try await bench.network.peer().send("HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n")
    let again = try await bench.network.peer(1)
    #expect(try await !again.receive().contains("Expect:"))
    #expect(try await again.receive(upTo: "hello") == "hello")
    again.send(ExchangeStageTests.empty)
    let outcome = await load.outcome
    #expect(outcome.status == 200)
    #expect(outcome.records.first?.response?.status == 417)
  }

  @Test func informationalResponsesAreTold() async throws {
    let client = RecordingClient()
    let load = begin(request, client)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
    #expect(client.events == [.informational(103)])
  }

  @Test func serverThatSwitchesUnaskedIsWrong() async throws {
    let load = begin(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: own\r\nConnection: upgrade\r\n\r\n")
    #expect(await load.outcome.error?.kind == .badServerResponse)
    try await peer.closed()
  }

  @Test func serverThatIsNotThereIsAnError() async {
    bench.network.answer(.refused)
    let outcome = await begin(request).outcome
    #expect(outcome.error?.kind == .cannotConnectToHost)
    #expect(outcome.error?.resendReason == .notConnected)
  }

  @Test func connectionThatDiesUnderTheRequestSaysWhetherItHadServed() async throws {
    let first = begin(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send(ExchangeStageTests.empty)
    #expect(await first.outcome.status == 200)
    let second = begin(request)
    _ = try await peer.receive()
    peer.close()
    #expect(await second.outcome.error?.resendReason == .staleConnection)
    let third = begin(request)
    let fresh = try await bench.network.peer(1)
    _ = try await fresh.receive()
    fresh.close()
    #expect(await third.outcome.error?.resendReason == .cutOff)
  }

  @Test func urlWithoutAHostFailsBeforeAnythingIsOpened() async {
    #expect(await begin(LoadRequest("data:,x")).outcome.error?.kind == .badURL)
    #expect(bench.network.attempts == 0)
  }

  @Test func loadThatIsCancelledWhileItConnectsEnds() async throws {
    bench.network.answer(.silent)
    let load = begin(request)
    let peer = try await bench.network.peer()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    // Nothing else wants the connection.
    try await peer.closed()
  }

  @Test func loadThatIsCancelledWhileItWaitsInLineEnds() async throws {
    let bench = StageBench { $0.maximumConnectionsPerHost = 1 }
    let stages: [any Stage] = [ExchangeStage(session: bench.session)]
    let first = bench.begin(request, through: stages)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    let second = bench.begin(request, through: stages)
    try await bench.onLoop {}
    second.cancel()
    #expect(await second.outcome.error?.kind == .cancelled)
    peer.send(ExchangeStageTests.empty)
    #expect(await first.outcome.status == 200)
    #expect(bench.network.attempts == 1)
  }

  @Test func loadThatIsCancelledWhileItWaitsForTheHeadEndsItsConnection() async throws {
    let load = begin(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    try await peer.closed()
  }

  @Test func suspendedLoadLeasesNothing() async throws {
    let load = begin(request) { $0.context.setSuspended(true) }
    try await bench.onLoop {}
    #expect(bench.network.attempts == 0)
    bench.session.setSuspended(load.context, false)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.status == 200)
  }

  @Test func proxyThatForwardsIsSentTheAbsoluteForm() async throws {
    let load = begin(LoadRequest("http://a.test/x")) { load in
      let routeAttempt = RouteAttempt(.forward(Proxy(.http, host: "192.0.2.7", port: 3128)))
      routeAttempt.authorize = { _ in "Basic secret" }
      load.context.terms.routeAttempt = routeAttempt
    }
    let peer = try await bench.network.peer()
    let head = try await peer.receive()
    #expect(peer.port == 3128)
    #expect(head.hasPrefix("GET http://a.test/x HTTP/1.1\r\nHost: a.test\r\n"))
    #expect(head.contains("Proxy-Authorization: Basic secret\r\n"))
    peer.send(ExchangeStageTests.empty)
    #expect(await load.outcome.records.last?.isProxyConnection == true)
  }
}
