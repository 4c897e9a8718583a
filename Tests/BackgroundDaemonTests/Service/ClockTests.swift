import BackgroundDaemon
import BackgroundTransfers
import Foundation
import LoadingModel
import Testing
import URLLoadingTestKit

/// A wall clock that is set while the daemon runs, and between two daemons.
@Suite(.timeLimit(.minutes(10))) struct ClockTests {
  /// The machine's clocks, of which tests set one.
  private final class Clocks: Sendable {
    private let change: Mutex<Double>

    init(_ wall: Date) { change = Mutex(wall.timeIntervalSinceNow) }

    func set(_ wall: Date) { change.withLock { $0 = wall.timeIntervalSinceNow } }

    var reading: ClockReading {
      var reading = ClockReading.system
      reading.wall += change.withLock { $0 }
      return reading
    }
  }

  private static let start = Date(timeIntervalSince1970: 60)

  /// The first attempt fails, the clock is set, and the next one must come within its pause.
  private func retryComes(after change: (Clocks) -> Void, from wall: Date) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let clocks = Clocks(wall)
    var options = DaemonGround.options
    options.clock = { clocks.reading }
    options.retryScale = 0.5
    try await TestServer.with { server in
      server.enqueue(Reply(faults: [.disconnectBeforeHeaders]), Reply(faults: [.disconnectBeforeHeaders]))
      server.route("/f", reply: .text("at last"))
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        _ = try await ground.tool().list { $0.contains { $0.attempts > 0 } }
        change(clocks)
        #expect(try await app.event().outcome.error == nil)
      }
    }
  }

  @Test func aClockThatIsSetForTheFirstTimeEndsNothing() async throws {
    try await retryComes(after: { $0.set(Date()) }, from: Self.start)
  }

  @Test func aClockThatIsSetBackDelaysNothing() async throws {
    try await retryComes(after: { $0.set(Date(timeIntervalSinceNow: -10_800)) }, from: Date())
  }

  @Test func aClockThatIsSetBetweenTwoDaemonsEndsNothing() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let clocks = Clocks(Self.start)
    var options = DaemonGround.options
    options.clock = { clocks.reading }
    try await TestServer.with { server in
      server.route("/f", reply: .text("here"))
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        app.send(.create(.download(1, server.url("/f"))))
        try await app.created(1)
      }
      clocks.set(Date())
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        app.send(.resume(task: 1))
        #expect(try await app.event().outcome.error == nil)
      }
    }
  }

  @Test func whatBeginsByTheWallClockFollowsIt() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let clocks = Clocks(Date())
    var options = DaemonGround.options
    options.clock = { clocks.reading }
    try await TestServer.with { server in
      server.route("/{name}", reply: .text("here"))
      try await ground.serving(options) { _ in
        let app = try await ground.app()
        var order = TransferOrder.download(1, server.url("/f"))
        order.earliestBegin = Date(timeIntervalSinceNow: 3600)
        app.begin(order)
        try await app.created(1)
        clocks.set(Date(timeIntervalSinceNow: 3600))
        // The next turn sees it.
        app.begin(.download(2, server.url("/g")))
        let ends = [try await app.event(), try await app.event()]
        #expect(ends.map(\.task).sorted() == [1, 2] && ends.allSatisfy { $0.outcome.error == nil })
      }
    }
  }
}
