import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Testing

@testable import LoadingEngine
@testable import URLLoadingTestKit

/// Loads that continue after their response: streams, WebSockets, and what is written into a file.
@Suite(.timeLimit(.minutes(10))) struct LoadDriverSessionTests {
  private let bench = StageBench()

  private func run(
    _ request: LoadRequest, _ client: RecordingClient = RecordingClient(), _ prepare: (Load) -> Void = { _ in }
  ) -> DriverRun {
    let run = DriverRun(bench, request, client)
    prepare(run.load)
    run.start(request)
    return run
  }

  @Test func streamEndsOnceBothDirectionsAreClosed() async throws {
    let stream = TestedStream(bench.session.executor)
    let run = run(LoadRequest("tcp://192.0.2.1:7")) { stream.begin($0) }
    let peer = try await bench.network.peer()
    stream.write("ping\n")
    _ = try await peer.receive(upTo: "\n")
    peer.send("pong")
    #expect(try await stream.read(4) == "pong")
    stream.close()
    #expect(try await run.client.result().error == nil)
    // A stream has no response to tell of.
    #expect(run.client.events == [.finished(nil)])
    try await peer.closed()
  }

  @Test func cancelledStreamEndsWithWhoeverWaitsOnIt() async throws {
    let stream = TestedStream(bench.session.executor)
    let run = run(LoadRequest("tcp://192.0.2.1:7")) { stream.begin($0) }
    let peer = try await bench.network.peer()
    stream.write("ping\n")
    _ = try await peer.receive(upTo: "\n")
    let read = Task { try await stream.read(4) }
    run.cancel()
    await #expect(throws: LoadError.self) { try await read.value }
    #expect(try await run.client.result().error?.kind == .cancelled)
    try await peer.closed()
  }

  // MARK: WebSockets

  private final class Events: WebSocketEvents, Sendable {
    let state = Watched<[String]>([])
    func webSocketOpened(subprotocol: String?) { state.update { $0.append("opened") } }
    func webSocketWillClose(code: Int, reason: [UInt8]) { state.update { $0.append("will close \(code)") } }
    func webSocketClosed(by close: WebSocketClose) { state.update { $0.append("closed") } }
  }

  private func runWebSocket(_ events: Events) -> DriverRun {
    let executor = bench.session.executor
    let webSocket = WebSocketSession(executor: executor, protocols: [], offersCompression: false, maximumMessageSize: 1024)
    return run(LoadRequest("ws://192.0.2.1/chat")) { load in
      webSocket.begin(load.context, events)
      load.kind = .webSocket(webSocket)
      load.context.terms.use = .webSocket
    }
  }

  private func acceptWebSocket(_ peer: MemoryPeer) async throws {
    let head = try await peer.receive()
    #expect(head.hasPrefix("GET /chat HTTP/1.1\r\n"))
    let line = try #require(head.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") })
    let accept = WebSocketHandshake.accept(for: String(line.dropFirst("Sec-WebSocket-Key: ".count)))
    peer.send(
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: \(accept)\r\n\r\n")
  }

  @Test func webSocketIsOpenUntilItIsClosed() async throws {
    let events = Events()
    let run = runWebSocket(events)
    let peer = try await bench.network.peer()
    try await acceptWebSocket(peer)
    try await events.state.wait { $0 == ["opened"] }
    // RFC 6455, 5.5.1: a close frame, code 1000.
    peer.send([0x88, 0x02, 0x03, 0xE8])
    try await events.state.wait { $0.contains("closed") }
    peer.close()
    #expect(try await run.client.result().error == nil)
    // Its messages take the place of a body.
    #expect(run.client.events == [.response(101), .finished(nil)])
  }

  @Test func cancelledWebSocketEnds() async throws {
    let events = Events()
    let run = runWebSocket(events)
    let peer = try await bench.network.peer()
    try await acceptWebSocket(peer)
    try await events.state.wait { $0 == ["opened"] }
    run.cancel()
    #expect(try await run.client.result().error?.kind == .cancelled)
    #expect(events.state.read { $0 } == ["opened", "will close 1001"])
    try await peer.closed()
  }

  @Test func answerThatOpensNoWebSocketIsAnError() async throws {
    let events = Events()
    let run = runWebSocket(events)
    let peer = try await bench.network.peer()
    _ = try await peer.receive()
    peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
    #expect(try await run.client.result().error?.kind == .badServerResponse)
    #expect(events.state.read(\.isEmpty))
  }

  // MARK: downloads

  private func withFolder(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "driver-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(folder)
  }

  @Test func downloadIsInItsFileBeforeTheLoadEnds() async throws {
    try await withFolder { folder in
      let download = Download(folder: folder)
      let client = RecordingClient {
        $0.collectsBody = false
        $0.download = download
      }
      let run = run(LoadRequest("http://192.0.2.1/"), client)
      let peer = try await bench.network.peer()
      _ = try await peer.receive()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
      try await client.received(.body("one"))
      peer.send("two")
      #expect(try await run.client.result().error == nil)
      let file = try #require(try await bench.onLoop { download.handOver() })
      #expect(try Data(contentsOf: file) == Data("onetwo".utf8))
    }
  }

  @Test func cancelledDownloadEndsWhileItWaitsForBytes() async throws {
    try await withFolder { folder in
      let client = RecordingClient {
        $0.collectsBody = false
        $0.download = Download(folder: folder)
      }
      let run = run(LoadRequest("http://192.0.2.1/"), client)
      let peer = try await bench.network.peer()
      _ = try await peer.receive()
      peer.send("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\none")
      try await client.received(.body("one"))
      run.cancel()
      #expect(try await run.client.result().error?.kind == .cancelled)
      try await peer.closed()
    }
  }
}
