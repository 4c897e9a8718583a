import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing

/// Sessions that have more than a connection may hold.
@Suite(.timeLimit(.minutes(10))) struct BoundedMemoryTests {
  private static let count = 10

  /// Together above what may wait for one peer.
  private func addLargeTasks(_ app: Peer) async throws {
    for task in 1...Self.count {
      var order = TransferOrder.download(task, URL(string: "http://127.0.0.1:9/\(task)"))
      order.request = Data(repeating: 0x20, count: 4 << 20)
      app.send(.create(order))
      try await app.created(task)
    }
  }

  @Test func tasksThatTakeMoreThanAConnectionHoldsAreTold() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app()
      try await addLargeTasks(first)
      first.link.close()
      await first.end()
      let app = try ground.attach(ground.terms())
      // Nothing is read until the daemon has stopped sending.
      var tasks = try await app.attached().tasks.map(\.order.task)
      while tasks.count < Self.count {
        tasks += try await app.next("moreTasks") { if case .moreTasks(let more) = $0 { more.map(\.order.task) } else { nil } }
      }
      try await app.caughtUp()
      #expect(tasks == Array(1...Self.count))
    }
  }

  @Test func eventsThatTakeMoreThanAConnectionHoldsAreTold() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let first = try await ground.app()
      try await addLargeTasks(first)
      for task in 1...Self.count {
        first.send(.cancel(task: task, wantsResumeData: false))
        _ = try await first.event(of: task)
      }
      first.link.close()
      await first.end()
      let app = try ground.attach(ground.terms())
      var tasks: [Int] = []
      for _ in 1...Self.count { tasks.append(try await app.event().task) }
      try await app.caughtUp()
      #expect(tasks == Array(1...Self.count))
    }
  }
}
