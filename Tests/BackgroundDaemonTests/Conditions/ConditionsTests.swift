import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@testable import BackgroundDaemon

/// What UPower and NetworkManager say. For UPower the daemon is a process of its own: libdbus reads the bus's address from the environment.
@Suite(.timeLimit(.minutes(10))) struct ConditionsTests {
  private func terms(_ ground: DaemonGround) -> SessionTerms { ground.terms(isDiscretionary: true) }

  private func attach(_ ground: DaemonGround) async throws -> Peer {
    let peer = Peer(try DaemonStarter(places: ground.places, environment: ground.environment).connect(patience: 60))
    peer.send(
      .attach(Attachment(terms: terms(ground), answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())))
    try await peer.caughtUp()
    return peer
  }

  @Test(.enabled(if: MockBus.isInstalled, "needs dbus-daemon and python-dbusmock"), arguments: [true, false])
  func discretionaryTransfersWaitWhileUPowerSaysThatTheMachineRunsOnABattery(onBattery: Bool) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let bus = try await MockBus(in: ground.folder, .upower(onBattery: onBattery))
    defer { bus.stop() }
    let manager = try FakeManager(
      ground, variables: [MockBus.variable: MockBus.address(in: ground.folder), "URLSESSIOND_CONDITIONS": "metered=no,busy=no,network=yes"])
    let daemon = try manager.startForApp()
    #expect(await manager.notices.next() == "READY=1")
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      let app = try await attach(ground)
      app.begin(.download(1, server.url("/f")))
      if onBattery {
        _ = try await ground.tool().list { $0.first?.reason == "on battery" }
        guard case .status(let status) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
        #expect(status.obstacles.contains { $0.hasPrefix("on battery") })
      } else {
        #expect(try await app.event().outcome.error == nil)
      }
      kill(daemon.process, SIGTERM)
      #expect(await daemon.end() == 0)
    }
  }

  @Test(
    .enabled(
      if: PrivateNetwork.here == nil && PrivateNetwork.isPermitted && MockBus.isInstalled,
      "needs iproute2, the right to make network namespaces, dbus-daemon and python-dbusmock"))
  func discretionaryTransfersWaitWhileNetworkManagerSaysThatTheNetworkIsMetered() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "m-\(UInt32.random(in: .min ... .max))", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let output = folder.appending(path: "output")
    try Data().write(to: output)
    let child = try PrivateNetwork.child(
      running: "ConditionsTests/childHasAMeteredNetwork", in: folder,
      environment: [MockBus.variable: MockBus.address(in: folder), "TMPDIR": folder.path(percentEncoded: false)],
      output: .file(output))
    let ending = await child.end()
    #expect(ending == .exit(0), "\((try? String(contentsOf: output, encoding: .utf8)) ?? "")")
  }

  @Test(.enabled(if: PrivateNetwork.here != nil, "only in a child process")) func childHasAMeteredNetwork() async throws {
    let network = try #require(PrivateNetwork.here)
    try network.addCable("eth7", "far7")
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    try network.ip("route", "add", "default", "via", "10.99.0.254", "dev", "eth7")
    let bus = try await MockBus(in: FileManager.default.temporaryDirectory, .networkManager(interface: "eth7", metered: 1))
    defer { bus.stop() }
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving(environment: ["URLSESSIOND_CONDITIONS": "mains=yes,busy=no"]) { _ in
      let app = try await attach(ground)
      app.begin(.download(1, URL(string: "http://10.99.0.1:9/")))
      _ = try await ground.tool().list { $0.first?.reason == "the network is metered" }
    }
  }
}
