import BackgroundDaemon
import BackgroundTransfers
import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct LaunchTests {
  /// Writes the identifier and a variable of the app's into a file, whole at once.
  private func launch(_ ground: DaemonGround) -> SessionTerms.Launch {
    let script = "echo \"$URLSESSION_LAUNCH_IDENTIFIER $MINE $(pwd)\" > draft; mv draft launched"
    return .command(
      ["/bin/sh", "-c", script], folder: ground.folder.path(percentEncoded: false), environment: ["MINE": "own"])
  }

  private func end(_ ground: DaemonGround, _ server: TestServer, _ terms: SessionTerms) async throws {
    let gate = Gate()
    server.route("/f", reply: Reply(body: .pattern(count: 1000), faults: [.delayBeforeHeaders(gate)]))
    let app = try ground.attach(terms)
    try await app.caughtUp()
    app.begin(.download(1, server.url("/f")))
    try await gate.reached()
    app.link.close()
    await app.end()
    gate.open()
  }

  @Test func anAppIsStartedWhenItsTransfersHaveEnded() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let arrival = try FileArrival("launched", in: ground.folder)
    try await TestServer.with { server in
      try await ground.serving { _ in
        try await end(ground, server, ground.terms(launch: launch(ground)))
        #expect(await arrival.wait())
        let text = try String(contentsOf: ground.file("launched"), encoding: .utf8)
        #expect(text.hasPrefix("session own "))
      }
    }
  }

  /// The daemon has the environment of the app that has started it, which may be another.
  @Test func anAppIsStartedInTheEnvironmentOfItsOwnSession() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let arrival = try FileArrival("launched", in: ground.folder)
    try await TestServer.with { server in
      try await ground.serving(environment: ["SECRET": "of the daemon"]) { _ in
        let folder = ground.folder.path(percentEncoded: false)
        var terms = ground.terms(
          launch: .command(["/bin/sh", "-c", "/usr/bin/env > draft; /bin/mv draft launched"], folder: folder, environment: ["MINE": "own"]))
        terms.environment = ["SECRET": "of the session", "MINE": "another", "NOTIFY_SOCKET": "/run/app"]
        try await end(ground, server, terms)
        #expect(await arrival.wait())
        let lines = try String(contentsOf: ground.file("launched"), encoding: .utf8).split(separator: "\n").filter {
          ["SECRET", "MINE", "NOTIFY_SOCKET", "URLSESSION_LAUNCH_IDENTIFIER"].contains($0.prefix { $0 != "=" })
        }
        #expect(Set(lines) == ["SECRET=of the session", "MINE=own", "URLSESSION_LAUNCH_IDENTIFIER=session"])
      }
    }
  }

  @Test func anAppIsStartedWithTheUmaskOfItsOwnSession() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let arrival = try FileArrival("launched", in: ground.folder)
    try await TestServer.with { server in
      try await ground.serving { _ in
        let folder = ground.folder.path(percentEncoded: false)
        var terms = ground.terms(
          launch: .command(["/bin/sh", "-c", "umask > draft; /bin/mv draft launched"], folder: folder, environment: [:]))
        terms.creationMask = 0o035
        try await end(ground, server, terms)
        #expect(await arrival.wait())
        #expect(try String(contentsOf: ground.file("launched"), encoding: .utf8) == "0035\n")
      }
    }
  }

  /// To env(1) such a path would be a variable.
  @Test func aPathWithAnEqualsSignIsAPath() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let arrival = try FileArrival("launched", in: ground.folder)
    let program = ground.file("name=value")
    try FileManager.default.copyItem(at: URL(filePath: "/bin/cp"), to: program)
    try Data("here".utf8).write(to: ground.file("draft"))
    try await TestServer.with { server in
      try await ground.serving { _ in
        let folder = ground.folder.path(percentEncoded: false)
        try await end(
          ground, server,
          ground.terms(launch: .command([program.path(percentEncoded: false), "draft", "launched"], folder: folder, environment: [:])))
        #expect(await arrival.wait())
      }
    }
  }

  @Test func anAppThatTakesNothingIsStartedAgainLater() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    var options = DaemonGround.options
    options.launchScale = 0.001
    try await TestServer.with { server in
      try await ground.serving(options) { _ in
        let script = "echo once >> launches; cp launches draft; mv draft launches-$(wc -l < launches | tr -d ' ')"
        let arrival = try FileArrival("launches-2", in: ground.folder)
        let terms = ground.terms(
          launch: .command(["/bin/sh", "-c", script], folder: ground.folder.path(percentEncoded: false), environment: [:]))
        try await end(ground, server, terms)
        #expect(await arrival.wait())
      }
    }
  }

  @Test func aProgramThatIsMissingIsLogged() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      try await ground.serving { _ in
        try await end(ground, server, ground.terms(launch: .command(["/nonexistent/app"], folder: nil, environment: [:])))
        _ = try await ground.tool().list { $0.first?.phase == .finished }
        var lines: [LogLine] = []
        while !lines.contains(where: { $0.text.contains("can't be started") }) {
          guard case .log(let all) = try await ground.tool().ask(.log(nil, limit: 100)) else { throw TestFailure(text: "no log") }
          lines = all
          try Task.checkCancellation()
        }
        #expect(lines.contains { $0.text.contains("/nonexistent/app") })
      }
    }
  }
}
