import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Transfers that can't be read any more, and sessions that no app uses any more.
@Suite(.timeLimit(.minutes(10))) struct LeftoverTests {
  @Test func anAttachedAppIsToldOfATransferThatCannotBeRead() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      try await app.barrier(task: 1)
      try await app.barrier(task: 2)
      try StoreDatabase(url: ground.places.queue, migrations: { _ in }).write { database in
        try database.execute(sql: "UPDATE contents SET content = x'0102' WHERE transfer = (SELECT min(transfer) FROM contents)")
      }
      app.send(.resume(task: 1))
      let event = try await app.event()
      #expect(event.task == 1 && event.outcome.error?.code == -3001)
      app.send(.taken(events: [event.identifier]))
      try await app.barrier(task: 3)
      #expect(try await ground.attach(ground.terms()).attached().tasks.map(\.order.task) == [2, 3])
    }
  }

  @Test func whatCannotBeReadIsToldOnceToAnAppThatAttaches() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app()
      try await first.barrier(task: 1)
      first.link.close()
      await first.end()
      try StoreDatabase(url: ground.places.queue, migrations: { _ in }).write { database in
        try database.execute(sql: "UPDATE contents SET content = x'0102'")
      }
      let app = try ground.attach(ground.terms())
      try await app.caughtUp()
      try await app.barrier(task: 2)
      #expect(app.passed.count { if case .event = $0 { true } else { false } } == 1)
    }
  }

  @Test func aSessionThatNoAppUsesIsForgottenAfterAMonth() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app("left")
      first.link.close()
      await first.end()
      try await ground.app("with a task").barrier(task: 1)
    }
    var options = DaemonGround.options
    options.clock = { .system(later: 31 * 86_400) }
    // It has tasks, or is used again.
    options.sessionLife = 40 * 86_400
    try await ground.serving(options) { _ in _ = try await ground.app("with a task") }
    let queue = try TransferQueue(folder: ground.places.data, settings: ground.places.settings)
    #expect(try queue.sessions.all().map(\.terms.identifier) == ["left", "with a task"])
    queue.close()
    options.sessionLife = 30 * 86_400
    try await ground.serving(options) { _ in _ = try await ground.app("new") }
    let later = try TransferQueue(folder: ground.places.data, settings: ground.places.settings)
    #expect(try later.sessions.all().map(\.terms.identifier) == ["with a task", "new"])
  }
}
