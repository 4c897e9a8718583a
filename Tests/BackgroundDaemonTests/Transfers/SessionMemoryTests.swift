import BackgroundDaemon
import BackgroundTransfers
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What the daemon's session for an app has in memory belongs to the app's process.
@Suite(.timeLimit(.minutes(10))) struct SessionMemoryTests {
  /// Returns when the daemon has noticed that its last app is gone.
  private func leave(_ app: Peer, _ ground: DaemonGround) async throws {
    app.link.close()
    await app.end()
    while true {
      guard case .status(let status) = try await ground.tool().ask(.status) else { throw TestFailure(text: "no status") }
      if status.apps == 0 { return }
      try Task.checkCancellation()
    }
  }

  @Test(arguments: [true, false]) func cookieWithoutAnEndIsSentForTheSameProcessAlone(isSame: Bool) async throws {
    let ground = try DaemonGround()
    defer { ground.remove() }
    let configuration = URLSessionConfiguration.testing()
    configuration.httpCookieStorage = .shared
    var terms = ground.terms()
    terms.configuration = BackgroundConfiguration(configuration).encoded
    try await TestServer.with { server in
      server.route("/set", reply: Reply(headers: ["Set-Cookie": "a=1; Path=/"], body: .text("set")))
      server.route("/get", reply: .text("got"))
      try await ground.serving { _ in
        let first = try ground.attach(terms)
        try await first.caughtUp()
        first.begin(.download(1, server.url("/set")))
        #expect(try await first.event(of: 1).outcome.error == nil)
        try await leave(first, ground)
        let second = try ground.attach(terms, process: isSame ? getpid() : 1)
        try await second.caughtUp()
        second.begin(.download(2, server.url("/get")))
        #expect(try await second.event(of: 2).outcome.error == nil)
        #expect(server.requests.last?.headers["Cookie"] == (isSame ? "a=1" : nil))
      }
    }
  }
}
