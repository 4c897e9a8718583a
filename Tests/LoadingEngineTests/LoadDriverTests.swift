import Foundation
import HTTPTransport
import LoadingModel
import Testing
import URLLoadingTestKit

@testable import LoadingEngine

@Suite(.timeLimit(.minutes(10))) struct LoadDriverTests {
  private let bench = StageBench()

  private func run(_ request: LoadRequest, _ client: RecordingClient = RecordingClient()) -> DriverRun {
    let run = DriverRun(bench, request, client)
    run.start(request)
    return run
  }

  private static let http = LoadRequest("http://192.0.2.1/")

  @Test func collectedBodyComesWithTheEnd() async throws {
    let run = run(LoadRequest("data:text/plain,hello"))
    let result = try await run.client.result()
    #expect(result.body?.copied == Data("hello".utf8))
    #expect(run.client.events == [.response(nil), .collected(5), .finished(nil)])
    #expect(result.context.record.responseEnd != nil)
    #expect(result.context.record.responseBodyBytesAfterDecoding == 5)
  }

  @Test func deliveredBodyComesAsPiecesAfterTheResponse() async throws {
    let run = run(LoadDriverTests.http, RecordingClient { $0.collectsBody = false })
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await run.client.received(.body("one"))
    peer.send("two")
    let result = try await run.client.result()
    #expect(result.error == nil)
    #expect(result.body == nil)
    #expect(run.client.events == [.response(200), .body("one"), .body("two"), .finished(nil)])
  }

  @Test func pieceWaitsUntilTheAppHasTakenTheOneBefore() async throws {
    let gate = Gate()
    let client = RecordingClient {
      $0.collectsBody = false
      $0.body = {
        await gate.pass()
        return nil
      }
    }
    let run = run(LoadDriverTests.http, client)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await gate.reached()
    peer.send("two")
    #expect(run.client.events == [.response(200), .body("one")])
    gate.open()
    _ = try await run.client.result()
    #expect(run.client.events == [.response(200), .body("one"), .body("two"), .finished(nil)])
  }

  @Test func responseThatTheAppRefusesEndsTheLoadAndItsConnection() async throws {
    let run = run(LoadDriverTests.http, RecordingClient { $0.disposition = { .cancelled() } })
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none")
    #expect(try await run.client.result().error?.kind == .cancelled)
    #expect(run.client.events == [.response(200), .disposition, .finished(.cancelled)])
    try await peer.closed()
  }

  @Test func pieceThatTheAppRefusesEndsTheLoadAndItsConnection() async throws {
    let client = RecordingClient {
      $0.collectsBody = false
      $0.body = { LoadError(.cannotWriteToFile, .delivery, "the disk is full") }
    }
    let run = run(LoadDriverTests.http, client)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\none")
    #expect(try await run.client.result().error?.kind == .cannotWriteToFile)
    try await peer.closed()
  }

  @Test func errorIsTheLastWordAndComesWithTheResponseSoFar() async throws {
    let run = run(LoadDriverTests.http)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await run.client.received(.response(200))
    peer.close()
    let result = try await run.client.result()
    #expect(result.error?.kind == .networkConnectionLost)
    #expect(result.error?.phase == .body)
    #expect(result.response?.status == 200)
    #expect(result.body == nil)
  }

  @Test func cancelledLoadEndsWhileItWaitsForTheHead() async throws {
    let run = run(LoadDriverTests.http)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    run.cancel()
    #expect(try await run.client.result().error?.kind == .cancelled)
    try await peer.closed()
  }

  @Test func cancelledLoadEndsWhileItWaitsForTheBody() async throws {
    let run = run(LoadDriverTests.http)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await run.client.received(.collected(3))
    run.cancel()
    #expect(try await run.client.result().error?.kind == .cancelled)
    try await peer.closed()
  }

  /// What interrupted the load is the cause; the error in hand may only be its consequence.
  @Test func errorToldIsThatOfTheInterruption() async throws {
    let gate = Gate()
    let client = RecordingClient {
      $0.collectsBody = false
      $0.body = {
        await gate.pass()
        return LoadError(.cannotWriteToFile, .delivery, "the file was closed")
      }
    }
    let run = run(LoadRequest("data:,x"), client)
    try await gate.reached()
    // On the event loop: it is through before the gate opens.
    try await bench.onLoop { run.context.interrupt(LoadError(.timedOut, .body, "late")) }
    run.cancel()
    gate.open()
    #expect(try await run.client.result().error?.kind == .timedOut)
    #expect(run.client.events == [.response(nil), .body("x"), .finished(.timedOut)])
  }

  @Test func suspendedLoadBeginsWhenItIsResumed() async throws {
    let request = LoadDriverTests.http
    let run = DriverRun(bench, request, RecordingClient())
    run.suspend(true)
    run.start(request)
    try await bench.onLoop {}
    #expect(bench.network.attempts == 0)
    run.suspend(false)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 204 No Content\r\n\r\n")
    #expect(try await run.client.result().response?.status == 204)
  }

  @Test func suspendedLoadDeliversNothing() async throws {
    let run = run(LoadDriverTests.http)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    run.suspend(true)
    try await bench.onLoop {}
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none")
    try await bench.onLoop {}
    #expect(run.client.events.isEmpty)
    run.suspend(false)
    #expect(try await run.client.result().body?.copied == Data("one".utf8))
  }

  @Test func loadOverWhichNothingMovesTimesOut() async throws {
    var request = LoadDriverTests.http
    request.mutate { $0.timeoutInterval = 5 }
    let run = run(request)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    bench.clock.advance(by: 4)
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await run.client.received(.collected(3))
    // The time begins anew with each byte.
    bench.clock.advance(by: 4)
    try await bench.onLoop {}
    #expect(!run.client.events.contains(.finished(.timedOut)))
    bench.clock.advance(by: 2)
    let error = try await run.client.result().error
    #expect(error?.kind == .timedOut)
    #expect(error?.phase == .body)
    try await peer.closed()
  }

  @Test func loadEndsWithTheTimeForItsResourceThoughBytesCome() async throws {
    let bench = StageBench { $0.resourceTimeout = 10 }
    let run = DriverRun(bench, LoadDriverTests.http, RecordingClient())
    run.start(LoadDriverTests.http)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    bench.clock.advance(by: 9)
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
    try await run.client.received(.collected(3))
    bench.clock.advance(by: 1)
    let error = try await run.client.result().error
    #expect(error?.kind == .timedOut)
    #expect(error?.message.contains("timeoutIntervalForResource") == true)
  }
}
