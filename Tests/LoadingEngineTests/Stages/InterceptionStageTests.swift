import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct InterceptionStageTests {
  private static func own(_ status: Int) -> InterceptedAnswer {
    let head = ResponseHead(status: status, headers: HeaderFields([]))
    return .made(LoadResponse(url: URL(filePath: "/"), kind: .http(head), expectedLength: 3), Data("own".utf8))
  }

  private func load(
    _ steps: [ScriptedStage.Step], _ interceptor: @escaping Interceptor
  ) async -> (BenchLoad.Outcome, ScriptedStage) {
    let script = ScriptedStage(steps)
    return (await StageBench().load(LoadRequest("http://h/"), through: [InterceptionStage(interceptor: interceptor), script]), script)
  }

  @Test func lastResponseIsTheLoads() async {
    let (outcome, script) = await load([.status(500, [], "first"), .status(200, [], "second")]) { request, line throws(LoadError) in
      _ = try await line.send(request)
      return .received(try await line.send(request))
    }
    #expect((outcome.status, outcome.body) == (200, "second"))
    #expect(outcome.records.map(\.response?.status) == [500, nil])
    #expect(script.requests.count == 2)
  }

  @Test func bodyBeforeIsReadOrGivenUp() async {
    let (small, endless) = (PieceBody([.bytes("small")]), PieceBody([.bytes("long")]))
    let (outcome, _) = await load([
      .status(500, [], small, framing: .length(5)), .status(500, [], endless, framing: .length(1 << 30)), .status(200, [], "end"),
    ]) { request, line throws(LoadError) in
      _ = try await line.send(request)
      _ = try await line.send(request)
      return .received(try await line.send(request))
    }
    #expect(outcome.body == "end")
    #expect(!small.isAbandoned && endless.isAbandoned)
  }

  @Test func answerAfterAResponseGivesUpItsBody() async {
    let body = PieceBody([.bytes("long")])
    let (outcome, _) = await load([.status(500, [], body, framing: .length(1 << 30))]) { request, line throws(LoadError) in
      _ = try await line.send(request)
      return Self.own(200)
    }
    #expect((outcome.status, outcome.body) == (200, "own"))
    #expect(body.isAbandoned)
  }

  @Test func errorAfterAResponseGivesUpItsBody() async {
    let body = PieceBody([.bytes("long")])
    let (outcome, _) = await load([.status(200, [], body, framing: .length(4))]) { request, line throws(LoadError) in
      _ = try await line.send(request)
      throw LoadError(.badURL, .delivery, "own")
    }
    #expect(outcome.error?.kind == .badURL)
    #expect(body.isAbandoned)
  }

  @Test func errorIsTheInterceptorsToJudge() async {
    let (outcome, _) = await load([.fail(LoadError(.timedOut, .connect, "")), .status(200, [], "x")]) { request, line throws(LoadError) in
      do throws(LoadError) { return .received(try await line.send(request)) } catch { return .received(try await line.send(request)) }
    }
    #expect(outcome.body == "x" && outcome.records.count == 2)
  }

  @Test func nothingIsSentAfterTheEnd() async {
    let kept = Mutex<Interception?>(nil)
    let (_, script) = await load([]) { _, line in
      kept.withLock { $0 = line }
      return Self.own(204)
    }
    let line = kept.withLock { $0 }
    let error = await #expect(throws: LoadError.self) { _ = try await line?.send(LoadRequest("http://h/")) }
    #expect(error?.kind == .cancelled)
    #expect(script.requests.isEmpty)
  }

  @Test func interruptionWhileSomethingIsSentEndsBothSides() async throws {
    let (gate, bench) = (Gate(), StageBench())
    let told = Mutex<LoadError?>(nil)
    let script = ScriptedStage(.held(gate, .status(200)))
    let stage = InterceptionStage { request, line throws(LoadError) in
      do throws(LoadError) {
        return .received(try await line.send(request))
      } catch {
        told.withLock { $0 = error }
        throw error
      }
    }
    let load = bench.begin(LoadRequest("http://h/"), through: [stage, script])
    try await gate.reached()
    load.cancel()
    #expect(await load.outcome.error?.kind == .cancelled)
    #expect(told.withLock { $0 }?.kind ?? .cancelled == .cancelled)
  }
}
