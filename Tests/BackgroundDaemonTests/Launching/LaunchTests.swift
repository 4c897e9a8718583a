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
