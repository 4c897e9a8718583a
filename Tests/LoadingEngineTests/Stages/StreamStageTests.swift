import Foundation
import HTTPTransport
import LoadingModel
import NIOCore
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct StreamStageTests {
  private let bench = StageBench()
  private let stream: TestedStream
  private let request = LoadRequest("tcp://192.0.2.1:7")

  init() { stream = TestedStream(bench.session.executor) }

  private func begin(_ prepare: @escaping @Sendable (Load) -> Void = { _ in }) -> BenchLoad {
    bench.begin(request, through: [StreamStage(session: bench.session)]) { [stream] load in
      stream.begin(load)
      prepare(load)
    }
  }

  @Test func connectionIsOpenedForTheStream() async throws {
    let load = begin()
    let peer = try await bench.network.peer()
    #expect(peer.port == 7)
    let outcome = await load.outcome
    #expect(outcome.error == nil)
    #expect(outcome.response?.status == nil)
    #expect(outcome.body.isEmpty)
    let record = try #require(outcome.records.last)
    #expect(record.fetchType == .networkLoad)
    #expect(record.connection?.remotePort == 7)
    #expect(record.connectStart != nil && record.connectEnd != nil)
  }

  @Test func whatIsWrittenAndReadGoesOverIt() async throws {
    // What the app asks for before there is a connection waits for it.
    stream.write("ping\n")
    let load = begin()
    let peer = try await bench.network.peer()
    #expect(try await peer.receive(upTo: "\n") == "ping\n")
    peer.send("pong")
    #expect(try await stream.read(4) == "pong")
    #expect(await load.outcome.error == nil)
  }

  @Test func connectionIsNoneOfThePools() async throws {
    for number in 0..<2 {
      let stream = TestedStream(bench.session.executor)
      let load = bench.begin(request, through: [StreamStage(session: bench.session)]) { stream.begin($0) }
      _ = try await bench.network.peer(number)
      #expect(await load.outcome.error == nil)
    }
    let hasConnections = try await bench.onLoop { [session = bench.session, request] in
      request.target.map { session.pool.hasConnections(to: Destination($0.origin)) }
    }
    #expect(hasConnections == false)
  }

  @Test func peerThatIsNotThereIsAnError() async {
    bench.network.answer(.refused)
    #expect(await begin().outcome.error?.kind == .cannotConnectToHost)
  }

  @Test func loadWithoutAStreamOrAPortFails() async {
    let stages: [any Stage] = [StreamStage(session: bench.session)]
    #expect(await bench.load(request, through: stages).error?.kind == .badURL)
    let portless = await bench.load(LoadRequest("tcp://192.0.2.1"), through: stages) { [stream] in stream.begin($0) }
    #expect(portless.error?.kind == .badURL)
    #expect(bench.network.attempts == 0)
  }

  @Test func suspendedLoadConnectsWhenItIsResumed() async throws {
    let load = begin { $0.context.setSuspended(true) }
    try await bench.onLoop {}
    #expect(bench.network.attempts == 0)
    bench.session.setSuspended(load.context, false)
    #expect(await load.outcome.error == nil)
  }

  @Test func loadThatIsCancelledWhileItConnectsEnds() async throws {
    bench.network.answer(.silent)
    let load = begin()
    let peer = try await bench.network.peer()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    try await peer.closed()
  }

  @Test func interruptedLoadConnectsToNothing() async {
    #expect(await begin { $0.context.interrupt(.cancelled()) }.outcome.error?.kind == .cancelled)
    #expect(bench.network.attempts == 0)
  }
}
