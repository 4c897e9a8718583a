import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing

@testable import BackgroundDaemon

/// A daemon of systemd, and those that apps start.
@Suite(.timeLimit(.minutes(10))) struct ManagedDaemonTests {
  private func process(_ ground: DaemonGround, _ environment: [String: String]? = nil) async throws -> pid_t {
    var environment = environment ?? ground.environment
    // None is started.
    environment["URLSESSIOND_PATH"] = "/nonexistent"
    let places = try BackgroundPlaces(environment: environment, home: ground.folder)
    let tool = Peer(try DaemonStarter(places: places, environment: environment).connect(patience: Double(HangLimit.seconds)))
    guard case .status(let status) = try await tool.ask(.status) else { throw TestFailure(text: "no status") }
    return status.process
  }

  @Test func appsFindTheDaemonOfAServiceManagerWhateverTheirRuntimeFolder() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let manager = try FakeManager(ground)
    let daemon = try manager.activate()
    #expect(await manager.notices.next() == "READY=1")
    #expect(try await process(ground) == daemon.process)
    var environment = ground.environment
    environment["XDG_RUNTIME_DIR"] = ground.file("run2").path(percentEncoded: false)
    try FileManager.default.createDirectory(at: ground.file("run2"), withIntermediateDirectories: true)
    #expect(try await process(ground, environment) == daemon.process)
    kill(daemon.process, SIGTERM)
    #expect(await manager.notices.next() == "STOPPING=1")
    #expect(await daemon.end() == 0)
    // The manager's socket stays, and apps go on finding it.
    let connection = try DaemonStarter(places: ground.places, environment: environment).connectNow()
    #expect(connection != nil && manager.hasConnection)
  }

  @Test func theManagersDaemonTakesOverFromOneThatAnAppHasStarted() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let manager = try FakeManager(ground)
    let earlier = try manager.startForApp()
    #expect(await manager.notices.next() == "READY=1")
    let app = try await ground.app()
    try await app.barrier(task: 1)
    let daemon = try manager.activate()
    #expect(await earlier.end() == 0)
    await app.end()
    #expect(await manager.notices.next() == "STOPPING=1")
    #expect(await manager.notices.next() == "READY=1")
    #expect(try await process(ground) == daemon.process)
    #expect(try await ground.attach(ground.terms()).attached().tasks.map(\.order.task) == [1])
    kill(daemon.process, SIGTERM)
    #expect(await daemon.end() == 0)
  }

  @Test func aDaemonOfAnAppLeavesTheFieldToAManagerThatListens() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let manager = try FakeManager(ground)
    try manager.link()
    #expect(try await manager.startForApp().end() == 0)
    #expect(manager.hasConnection)
    let daemon = try manager.activate()
    #expect(await manager.notices.next() == "READY=1")
    // The lock is the manager's daemon's, which isn't asked to end.
    #expect(try await manager.startForApp().end() == 0)
    #expect(try await process(ground) == daemon.process)
    kill(daemon.process, SIGTERM)
    #expect(await daemon.end() == 0)
  }

  @Test func aDaemonEndsWhenAManagerTakesItsSocketsName() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.socketPause = 0.01
    let manager = try FakeManager(ground)
    let daemon = try ground.makeDaemon(options)
    let app = try await ground.app()
    try await app.barrier(task: 1)
    try manager.link()
    await app.end()
    await daemon.stop()
    #expect(try BackgroundDaemon(places: ground.places) == nil)
  }

  @Test func whatAManagerHasLeftBehindIsReplaced() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    do { try FakeManager(ground).link() }
    try await ground.serving { _ in _ = try await ground.app() }
    unlink(ground.file("run/systemd.sock").path(percentEncoded: false))
    try await ground.serving { _ in _ = try await ground.app() }
  }

  /// The program that systemd's own developers have for this.
  @Test(.enabled(if: ManagedDaemonTests.activator != nil, "needs systemd-socket-activate, of the package systemd"))
  func systemdStartsTheDaemonForTheFirstApp() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let path = ground.file("run/systemd.sock").path(percentEncoded: false)
    let variables = ["URL_LOADING_SYSTEM_HOME", "XDG_RUNTIME_DIR"].map { "--setenv=\($0)=\(ground.environment[$0] ?? "")" }
    let systemd = try ChildProcess(
      #require(ManagedDaemonTests.activator), ["--listen=\(path)"] + variables + [FakeManager.executable()], in: ground.folder)
    defer { systemd.stop() }
    try ground.places.announce(path)
    // As soon as it listens. With the first connection it becomes the daemon.
    while true {
      if let process = try? await process(ground) {
        #expect(process == systemd.identifier)
        break
      }
      try Task.checkCancellation()
    }
    kill(systemd.identifier, SIGTERM)
  }

  private static let activator: String? = ["/usr/bin/systemd-socket-activate", "/bin/systemd-socket-activate"]
    .first { access($0, X_OK) == 0 }
}
