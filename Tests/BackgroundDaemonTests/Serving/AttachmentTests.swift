import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct AttachmentTests {
  /// Has a download end while no app is attached.
  private func missEvent(_ ground: DaemonGround, _ server: TestServer) async throws {
    let gate = Gate()
    server.route("/f", reply: Reply(body: .pattern(count: 1000), faults: [.delayBeforeHeaders(gate)]))
    let app = try await ground.app()
    app.begin(.download(1, server.url("/f")))
    try await gate.reached()
    app.link.close()
    await app.end()
    gate.open()
    _ = try await ground.tool().list { $0.first?.phase == .finished }
  }

  @Test func whatEndedMeanwhileIsToldAtTheNextAttachment() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      try await ground.serving { _ in
        try await missEvent(ground, server)
        for _ in 1...2 {
          // Not taken the first time: told again.
          let app = try ground.attach(ground.terms())
          let snapshot = try await app.attached()
          #expect(snapshot.missedEvents == 1)
          #expect(snapshot.nextTask == 2)
          #expect(snapshot.tasks.isEmpty)
          #expect(try await app.event().task == 1)
          try await app.caughtUp()
        }
      }
    }
  }

  @Test func eventsOfTheJournalAreNotToldAgain() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      try await ground.serving { _ in
        try await missEvent(ground, server)
        let app = try ground.attach(ground.terms())
        let snapshot = try await app.attached()
        let event = try await app.event()
        let journal = TakenJournal(folder: URL(filePath: snapshot.journals), session: snapshot.session)
        try journal.append(events: [event.identifier])
        app.link.close()
        await app.end()
        let next = try ground.attach(ground.terms())
        #expect(try await next.attached().missedEvents == 0)
        try await next.caughtUp()
        let file = try #require(event.outcome.file)
        #expect(!FileManager.default.fileExists(atPath: file))
      }
    }
  }

  @Test func theJournalIsReadWhenTheDaemonStarts() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      let journal = try await withEvent(ground, server)
      try journal.0.append(events: [journal.1])
      try await ground.serving { _ in
        guard case .transfers(let list) = try await ground.tool().ask(.list) else { throw TestFailure(text: "no list") }
        #expect(list.isEmpty)
      }
    }
  }

  private func withEvent(_ ground: DaemonGround, _ server: TestServer) async throws -> (TakenJournal, Int64) {
    let daemon = try ground.makeDaemon()
    try await missEvent(ground, server)
    let app = try ground.attach(ground.terms())
    let snapshot = try await app.attached()
    let event = try await app.event()
    await daemon.stop()
    return (TakenJournal(folder: URL(filePath: snapshot.journals), session: snapshot.session), event.identifier)
  }

  @Test func aSecondProcessIsRefusedWhileTheFirstLives() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app()
      let second = try ground.attach(ground.terms(), process: 1)
      #expect(try await second.refusal().reason == .sessionInUse)
      await second.end()
      // The first connection still serves, and another session is free.
      try await first.barrier(task: 1)
      _ = try await ground.app("another")
      first.link.close()
      await first.end()
      let third = try ground.attach(ground.terms(), process: 1)
      #expect(try await third.attached().tasks.count == 1)
    }
  }

  @Test func theSameProcessMayAttachAnew() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app()
      let second = try await ground.app()
      await first.end()
      try await second.barrier(task: 1)
    }
  }

  @Test(arguments: [false, true]) func whatAProcessSaidLastComesBeforeTheNextAttachment(ofAnother isAnother: Bool) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let count = 400
    try await ground.serving { _ in
      let first = try await ground.app()
      for task in 1...count { first.send(.create(.download(task, URL(string: "http://127.0.0.1:9/\(task)")))) }
      first.link.closeAfterSending()
      // Another process has the session as soon as the first has closed it, of which the daemon has most still to read.
      if isAnother { await first.end() }
      let second = try ground.attach(ground.terms(), process: isAnother ? 1 : getpid())
      let snapshot = try await second.attached()
      #expect(snapshot.tasks.count == count)
      #expect(snapshot.nextTask == count + 1)
    }
  }

  @Test func aTaskIdentifierIsNotUsedForAnotherOrder() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.create(.download(1, URL(string: "http://127.0.0.1:9/one"))), .create(.download(1, URL(string: "http://127.0.0.1:9/other"))))
      #expect(try await app.refusal().reason == .badMessage)
    }
  }

  @Test func anotherVersionIsToldWhatToDo() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let peer = try ground.connect()
      peer.send(
        .attach(
          Attachment(
            version: 99, terms: ground.terms(), answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())))
      let refusal = try await peer.refusal()
      #expect(refusal.reason == .version)
      #expect(refusal.text.contains("99"))
    }
  }

  @Test func tenThousandTasksComeInPortions() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let count = 10_000
    try await ground.serving { _ in
      let app = try await ground.app()
      for task in 1...count { app.send(.create(.download(task, URL(string: "http://127.0.0.1:9/\(task)")))) }
      try await app.created(count)
      app.link.close()
      await app.end()
      let next = try ground.attach(ground.terms())
      var tasks = try await next.attached().tasks.map(\.order.task)
      while tasks.count < count {
        tasks += try await next.next("moreTasks") { if case .moreTasks(let more) = $0 { more.map(\.order.task) } else { nil } }
      }
      try await next.caughtUp()
      #expect(tasks == Array(1...count))
    }
  }

  @Test func aTaskThatIsMadeTwiceIsTheSame() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      try await app.barrier(task: 1)
      try await app.barrier(task: 1)
      guard case .transfers(let list) = try await ground.tool().ask(.list) else { throw TestFailure(text: "no list") }
      #expect(list.count == 1)
    }
  }

  @Test func anInvalidatedSessionIsForgotten() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let gate = Gate()
    try await TestServer.with { server in
      server.route("/f", reply: Reply(body: .pattern(count: 10), faults: [.delayBeforeHeaders(gate)]))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        app.send(.create(.download(2, server.url("/f"))))
        try await gate.reached()
        app.send(.invalidate(cancelling: true))
        try await server.waitForExchanges(open: 0)
        let again = try ground.attach(ground.terms())
        let snapshot = try await again.attached()
        #expect(snapshot.tasks.isEmpty)
        #expect(snapshot.missedEvents == 0)
        #expect(!app.passed.contains { if case .event = $0 { true } else { false } })
      }
    }
  }

  @Test func aSessionThatIsFinishedTakesNoMoreTasks() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.create(.download(1, URL(string: "http://127.0.0.1:9/"))), .invalidate(cancelling: false))
      app.send(.create(.download(2, URL(string: "http://127.0.0.1:9/"))))
      let refused = try await app.event()
      #expect(refused.task == 2 && refused.outcome.error?.code == URLError.Code.cancelled.rawValue)
      // The connection and the other task live on.
      app.send(.taken(events: [refused.identifier]), .cancel(task: 1, wantsResumeData: false))
      #expect(try await app.event().task == 1)
    }
  }

  @Test func aSessionThatIsOverRefusesALateTaskAlone() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.invalidate(cancelling: false))
      app.begin(.download(1, URL(string: "http://127.0.0.1:9/")))
      #expect(try await app.event().task == 1)
      #expect(!app.passed.contains { if case .created = $0 { true } else { false } })
    }
  }

  /// A thread of the app's is slow to make its task: one with a higher number has ended.
  @Test func aTaskThatIsMadeLateIsTaken() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.create(.download(5, URL(string: "http://127.0.0.1:9/"))), .cancel(task: 5, wantsResumeData: false))
      let first = try await app.event()
      app.send(.taken(events: [first.identifier]), .create(.download(4, URL(string: "http://127.0.0.1:9/"))))
      try await app.created(4)
      app.send(.cancel(task: 4, wantsResumeData: false))
      let second = try await app.event()
      #expect(second.task == 4 && second.identifier > 0)
      // Its number is used now: a task that would have it again ends with an error.
      app.send(.taken(events: [second.identifier]), .create(.download(4, URL(string: "http://127.0.0.1:9/"))))
      let third = try await app.event()
      #expect(third.task == 4 && third.identifier < 0 && third.outcome.error?.failingURL == "http://127.0.0.1:9/")
    }
  }
}
