import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ToolTests {
  @Test func aToolListsPausesAndCancels() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let gate = Gate()
    try await TestServer.with { server in
      server.route("/f", reply: Reply(body: .pattern(count: 1000), faults: [.delayBeforeHeaders(gate)]))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f")))
        try await gate.reached()
        let tool = try ground.tool()
        let running = try await tool.list { $0.first?.phase == .running }
        let transfer = try #require(running.first)
        #expect(transfer.app == "app")
        #expect(transfer.session == "session")
        guard case .done = try await ground.tool().ask(.pause(transfer.identifier)) else { throw TestFailure(text: "not paused") }
        _ = try await tool.list { $0.first?.phase == .suspended }
        guard case .done = try await ground.tool().ask(.resume(transfer.identifier)) else { throw TestFailure(text: "not resumed") }
        _ = try await tool.list { $0.first?.phase == .running }
        guard case .done = try await ground.tool().ask(.cancel(transfer.identifier)) else { throw TestFailure(text: "not cancelled") }
        let error = try #require(try await app.event().outcome.error)
        #expect(error.code == -999)
        #expect(error.cancelledReason == 0)
        guard case .log(let lines) = try await ground.tool().ask(.log(transfer.identifier, limit: 100)) else {
          throw TestFailure(text: "no log")
        }
        #expect(lines.map(\.text).contains("cancelled by the user"))
        guard case .failed = try await ground.tool().ask(.cancel(4711)) else { throw TestFailure(text: "cancelled nothing") }
      }
    }
  }

  @Test func theLogHasNoQueries() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving { _ in
      let app = try await ground.app()
      app.send(.create(.download(1, URL(string: "http://me:secret@127.0.0.1:9/path?token=secret#secret"))))
      try await app.created(1)
      guard case .log(let lines) = try await ground.tool().ask(.log(nil, limit: 100)) else { throw TestFailure(text: "no log") }
      #expect(lines.contains { $0.text.contains("http://127.0.0.1:9/path") })
      #expect(!lines.contains { $0.text.contains("secret") })
    }
  }

  @Test func theStatusSaysWhatTheDaemonDoes() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await ground.serving(environment: ["URLSESSIOND_CONDITIONS": "mains=no,metered=no,busy=no,network=no"]) { _ in
      let app = try await ground.app()
      try await app.barrier(task: 1)
      guard case .status(let status) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
      #expect(status.process == getpid())
      #expect(status.apps == 1)
      #expect(status.suspended == 1 && status.running == 0 && status.waiting == 0)
      #expect(status.obstacles.contains("no network"))
    }
  }

  @Test func aFileIsPutToItsDestination() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f"), destination: ground.file("out")))
        try await app.created(1)
        _ = try await ground.tool().list { $0.isEmpty }
        #expect(try String(contentsOf: ground.file("out"), encoding: .utf8) == "contents")
        #expect(try FileManager.default.contentsOfDirectory(atPath: ground.places.files.path).isEmpty)
      }
    }
  }

  /// The daemon's own umask is that of the app that has started it.
  @Test(arguments: zip([0o640, 0o666, nil] as [UInt16?], [0o640, 0o666, 0o600]))
  func aDestinationHasThePermissionsOfItsOrder(ordered: UInt16?, expected: Int) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      try await ground.serving { _ in
        let app = try await ground.app()
        var order = TransferOrder.download(1, server.url("/f"), destination: ground.file("out"))
        order.permissions = ordered
        app.begin(order)
        try await app.created(1)
        _ = try await ground.tool().list { $0.isEmpty }
        let attributes = try FileManager.default.attributesOfItem(atPath: ground.file("out").path(percentEncoded: false))
        #expect(attributes[.posixPermissions] as? Int == expected)
      }
    }
  }

  @Test func aFileThatExistsIsNotReplaced() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try Data("precious".utf8).write(to: ground.file("out"))
    try await TestServer.with { server in
      server.route("/f", reply: .text("contents"))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f"), destination: ground.file("out")))
        let error = try #require(try await app.event().outcome.error)
        #expect(error.description.contains("exists"))
        #expect(try String(contentsOf: ground.file("out"), encoding: .utf8) == "precious")
      }
    }
  }

  @Test func anErrorPageIsNotStored() async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    try await TestServer.with { server in
      server.route("/f", reply: .text("no", status: 404))
      try await ground.serving { _ in
        let app = try await ground.app()
        app.begin(.download(1, server.url("/f"), destination: ground.file("out")))
        #expect(try await app.event().outcome.error?.code == -1011)
        #expect(!FileManager.default.fileExists(atPath: ground.file("out").path))
      }
    }
  }
}
