import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct KilledDaemonTests {
  /// A connection to a daemon in a process of its own.
  private func connect(_ ground: DaemonGround) throws -> Peer {
    Peer(try DaemonStarter(places: ground.places, environment: ground.environment).connect(patience: 60))
  }

  private func attach(_ ground: DaemonGround) throws -> Peer {
    let peer = try connect(ground)
    peer.send(
      .attach(
        Attachment(terms: ground.terms(), answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())))
    return peer
  }

  /// As an app does it: the daemon that is just ending may take the connection and drop it.
  private func reattach(_ ground: DaemonGround) async throws -> (Peer, SessionSnapshot) {
    while true {
      let peer = try attach(ground)
      if let snapshot = try? await peer.attached() { return (peer, snapshot) }
      try Task.checkCancellation()
    }
  }

  private func process(_ ground: DaemonGround) async throws -> pid_t {
    guard case .status(let status) = try await connect(ground).ask(.status) else { throw TestFailure(text: "no status") }
    return status.process
  }

  @Test func aDownloadGoesOnByRangeAfterTheDaemonWasKilled() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_500_000)
      let app = try attach(ground)
      try await app.caughtUp()
      app.begin(.download(1, server.url("/f")))
      _ = try await app.progress { $0.received >= 2_500_000 }
      // What has been told rests on what is on disk.
      let list = try await connect(ground).list { $0.first?.received ?? 0 >= 2_500_000 }
      #expect(list.count == 1)
      kill(try await process(ground), SIGKILL)
      await app.end()
      let (again, snapshot) = try await reattach(ground)
      // It may have ended already.
      #expect(snapshot.tasks.count + snapshot.missedEvents == 1)
      let event = try await again.event()
      #expect(event.outcome.error == nil)
      #expect(try Data(contentsOf: URL(filePath: #require(event.outcome.file))) == file.bytes)
      let offset = try #require(server.requests.last.flatMap(ServedFile.offset))
      #expect(offset >= 1_000_000)
      kill(try await process(ground), SIGTERM)
      await again.end()
    }
  }

  @Test func sigtermEndsTheDaemonAndKeepsItsTransfers() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let app = try attach(ground)
    try await app.caughtUp()
    try await app.barrier(task: 1)
    kill(try await process(ground), SIGTERM)
    await app.end()
    let (again, snapshot) = try await reattach(ground)
    #expect(snapshot.tasks.map(\.order.task) == [1])
    kill(try await process(ground), SIGTERM)
    await again.end()
  }

  /// The machine stops: neither process says anything any more, and the last bytes of a file never came to the disk.
  @Test func afterARebootADownloadDoesNotRelyOnWhatWasNotSynchronized() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_500_000)
      let app = try attach(ground)
      try await app.caughtUp()
      app.begin(.download(1, server.url("/f")))
      _ = try await app.progress { $0.received >= 2_500_000 }
      kill(try await process(ground), SIGKILL)
      await app.end()
      let names = try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path(percentEncoded: false))
      let part = try #require(names.first { $0.hasPrefix("CFNetworkDownload_") })
      let handle = try FileHandle(forWritingTo: ground.places.files.appending(path: part))
      try handle.write(contentsOf: Data(count: 1_000_000))
      try handle.close()
      let mark = ground.places.data.appending(path: "running")
      #expect(try !String(contentsOf: mark, encoding: .utf8).isEmpty)
      try Data("0123456789abcdef".utf8).write(to: mark)
      file.serve("/f", on: server, stallingAfter: .max)
      // It may have ended before the daemon was asked.
      let (again, _) = try await reattach(ground)
      let event = try await again.event()
      #expect(event.task == 1)
      #expect(event.outcome.error == nil)
      #expect(try Data(contentsOf: URL(filePath: #require(event.outcome.file))) == file.bytes)
      #expect(server.requests.allSatisfy { ServedFile.offset($0) == nil })
      kill(try await process(ground), SIGTERM)
      await again.end()
    }
  }
}
