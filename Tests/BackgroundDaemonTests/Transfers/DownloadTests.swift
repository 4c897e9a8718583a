import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct DownloadTests {
  @Test func aDownloadIsKeptUntilItIsTaken() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: Reply(headers: ["X-Kind": "test"], body: .pattern(count: 100_000)))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        let event = try await app.event()
        #expect(event.task == 1)
        #expect(event.outcome.error == nil)
        #expect(event.outcome.received == 100_000)
        let response = event.outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse
        #expect(response?.statusCode == 200)
        #expect(response?.value(forHTTPHeaderField: "X-Kind") == "test")
        #expect(event.outcome.metrics.flatMap { BackgroundCoding.metrics($0) }?.transactionMetrics.count == 1)
        let file = try #require(event.outcome.file)
        #expect(try Data(contentsOf: URL(filePath: file)).count == 100_000)
        app.send(.taken(events: [event.identifier]))
        try await app.barrier(task: 2)
        #expect(!FileManager.default.fileExists(atPath: file))
      }
    }
  }

  @Test func aDownloadGoesOnByRangeWithTheNextDaemon() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_000_000)
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        _ = try await app.progress { $0.received >= 1_000_000 }
      }
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms())
        let snapshot = try await app.attached()
        // It may have ended already.
        #expect(snapshot.tasks.map(\.order.task) == (snapshot.missedEvents == 0 ? [1] : []))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        #expect(try Data(contentsOf: URL(filePath: #require(event.outcome.file))) == file.bytes)
      }
      let offset = try #require(server.requests.last.flatMap(ServedFile.offset))
      #expect(offset >= 1_000_000)
    }
  }

  /// Task 1 downloads the first of three megabytes, and is cancelled.
  private func cancelInTheMiddle(_ app: Peer, _ url: URL, wantsResumeData: Bool) async throws -> TransferEvent {
    app.begin(.download(1, url))
    _ = try await app.progress { $0.received >= 1_000_000 }
    app.send(.cancel(task: 1, wantsResumeData: wantsResumeData))
    let cancelled = try await app.event(of: 1)
    #expect(cancelled.outcome.error?.code == -999)
    return cancelled
  }

  @Test func cancellingWithResumeDataLetsAnotherTaskGoOn() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_000_000)
      try await ground.serving { _ in
        let app = try await ground.app()
        let cancelled = try await cancelInTheMiddle(app, server.url("/f"), wantsResumeData: true)
        let resumeData = try #require(cancelled.outcome.error?.resumeData)
        app.begin(.download(2, server.url("/f"), resumeData: resumeData))
        let event = try await app.event(of: 2)
        #expect(event.outcome.error == nil)
        #expect(try Data(contentsOf: URL(filePath: #require(event.outcome.file))) == file.bytes)
      }
      #expect(server.requests.compactMap(ServedFile.offset).count == 1)
    }
  }

  @Test func cancellingWithoutResumeDataLeavesNothing() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let file = ServedFile(count: 3_000_000)
    try await TestServer.with { server in
      file.serve("/f", on: server, stallingAfter: 2_000_000)
      try await ground.serving { _ in
        let app = try await ground.app()
        let cancelled = try await cancelInTheMiddle(app, server.url("/f"), wantsResumeData: false)
        #expect(cancelled.outcome.error?.resumeData == nil)
        try await server.waitForExchanges(open: 0)
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path).isEmpty)
    }
  }

  @Test func aSuspendedTaskWaitsUntilItIsResumed() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: Reply(body: .pattern(count: 1000)))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.send(.create(.download(1, server.url("/f"))))
        app.begin(.download(2, server.url("/f")))
        #expect(try await app.event().task == 2)
        #expect(server.requestCount == 1)
        app.send(.resume(task: 1))
        #expect(try await app.event().task == 1)
      }
    }
  }

  @Test func anAnswerOfAnyStatusIsTheEnd() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("no", status: 503))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        #expect((event.outcome.response.flatMap { BackgroundCoding.response($0) } as? HTTPURLResponse)?.statusCode == 503)
      }
      #expect(server.requestCount == 1)
    }
  }

  @Test func redirectsAreFollowed() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.add(.standard)
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/relative-redirect/3")))
        let event = try await app.event()
        #expect(event.outcome.error == nil)
        let current = event.outcome.currentRequest.flatMap { BackgroundCoding.request($0) }
        #expect(current?.url?.path() == "/get")
      }
    }
  }

  @Test func redirectsToOtherSchemesAreRefused() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: Reply(302, headers: ["Location": "ftp://127.0.0.1:9/f"], body: .text("elsewhere")))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        let error = try #require(try await app.event().outcome.error)
        #expect(error.code == -1002 && error.description.contains("ftp"))
      }
      #expect(server.requestCount == 1)
    }
  }

  @Test func otherSchemesAreRefusedByTheTask() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.begin(.download(1, URL(string: "ftp://127.0.0.1/f")))
      #expect(try await app.event().outcome.error?.code == -1002)
    }
  }

  @Test func aTransferFailsAtItsDeadline() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let gate = Gate()
    try await TestServer.with { server in
      server.route("/f", reply: Reply(body: .pattern(count: 10), faults: [.delayBeforeHeaders(gate)]))
      try await ground.serving { _ in
        let app = try ground.attach(ground.terms(timeout: 0.2))
        try await app.caughtUp()
        app.begin(.download(1, server.url("/f")))
        #expect(try await app.event().outcome.error?.code == -1001)
      }
    }
  }
}
