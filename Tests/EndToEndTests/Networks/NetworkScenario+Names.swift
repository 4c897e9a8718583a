import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

extension NetworkScenario {
  /// Addresses of both families, so that both are asked for.
  func addAddresses(_ network: PrivateNetwork) throws {
    try network.ip("addr", "add", "10.99.0.1/24", "dev", "eth7")
    try network.ip("addr", "add", "fd00:99::1/64", "dev", "eth7", "nodad")
  }

  func keepNames(_ network: PrivateNetwork) async throws {
    try addAddresses(network)
    let names = try await NameServer { name, kind in
      switch (name, kind) {
      case ("kept.test", .a): .address([10, 99, 0, 1])
      case ("brief.test", .a): .address([10, 99, 0, 1], lifetime: 4)
      case ("kept.test", .aaaa), ("brief.test", .aaaa): .nothing
      default: .absent
      }
    }
    let clock = ManualClock()
    try await serve({ $0.use(clock) }) { server, session async throws in
      server.route("/", reply: .text("ok").with(.closeAfterReply(announce: true)))
      let url = server.url("/", host: "kept.test")
      let end = HangLimit.end
      func counts() -> (Int, Int) { (names.count("kept.test", .a), names.count("kept.test", .aaaa)) }
      var (before, together, later, ended) = ((0, 0), (0, 0), (0, 0), (0, 0))
      repeat {
        clock.advance(by: 31)
        before = counts()
        // Those that begin together share one look-up, and it serves later ones.
        let loads = (0..<3).map { _ in Task { try await session.text(from: url).0 } }
        for load in loads { #expect(try await load.value == "ok") }
        _ = try await session.data(from: url)
        together = counts()
        clock.advance(by: 29)
        _ = try await session.data(from: url)
        later = counts()
        clock.advance(by: 2)
        _ = try await session.data(from: url)
        ended = counts()
        // The news of the addresses above may come in the middle: that forgets what has been looked up.
      } while (ended.0 > before.0 + 2 || together.1 > before.1 + 1) && ContinuousClock.now < end
      #expect(together == (before.0 + 1, before.1 + 1))
      #expect(later.0 == together.0)
      let kept = later.0
      #expect(ended.0 == kept + 1)
      // That there is no such name is remembered for a shorter time.
      let absent = server.url("/", host: "absent.test")
      for _ in 0..<2 { #expect(await session.failure(of: absent)?.code == .cannotFindHost) }
      #expect(names.count("absent.test", .a) == 1)
      clock.advance(by: 6)
      #expect(await session.failure(of: absent)?.code == .cannotFindHost)
      #expect(names.count("absent.test", .a) == 2)
      // The DNS tells the lifetime a moment after the first load.
      let brief = server.url("/", host: "brief.test")
      _ = try await session.data(from: brief)
      clock.advance(by: 5)
      let limit = HangLimit.end
      while names.count("brief.test", .a) == 1, ContinuousClock.now < limit { _ = try await session.data(from: brief) }
      #expect(names.count("brief.test", .a) == 2)
      // Another network may have other name servers.
      try network.ip("addr", "add", "10.97.0.1/24", "dev", "eth7")
      while names.count("kept.test", .a) == kept + 1, ContinuousClock.now < end { _ = try await session.data(from: url) }
      #expect(names.count("kept.test", .a) == kept + 2)
    }
    await names.stop()
  }

  func tellFailuresApart(_ network: PrivateNetwork) async throws {
    try addAddresses(network)
    try network.ip("route", "add", "default", "via", "10.99.0.254", "dev", "eth7")
    let names = try await NameServer { name, _ in
      switch name {
      case "broken.test": .broken
      case "empty.test": .nothing
      default: .absent
      }
    }
    try await serve { server, session async throws in
      #expect(await session.failure(of: server.url("/", host: "absent.test"))?.code == .cannotFindHost)
      #expect(await session.failure(of: server.url("/", host: "empty.test"))?.code == .cannotFindHost)
      for _ in 0..<2 {
        let error = await session.failure(of: server.url("/", host: "broken.test"))
        #expect(error?.code == .dnsLookupFailed)
        #expect(error?.localizedDescription.contains("broken.test") == true)
      }
      // What may be different the next time isn't remembered.
      #expect(names.count("broken.test", .a) >= 2)
      // These names never leave the machine.
      #expect(await session.failure(of: server.url("/", host: "a.invalid"))?.code == .cannotFindHost)
      #expect(names.count("a.invalid", .a) == 0)
      server.enqueue(.text("ok"))
      #expect(try await session.text(from: server.url("/", host: "a.localhost")).0 == "ok")
      // Without a default route, that no name server answers means being offline.
      try network.ip("route", "del", "default")
      #expect(await session.failure(of: server.url("/", host: "broken.test"))?.code == .notConnectedToInternet)
    }
    await names.stop()
  }

  func skipSilentFamily(_ network: PrivateNetwork) async throws {
    try addAddresses(network)
    let names = try await NameServer { _, kind in kind == .a ? .address([10, 99, 0, 1]) : .silence }
    try await serve { server, session async throws in
      server.enqueue(.text("ok"))
      #expect(try await session.text(from: server.url("/", host: "half.test")).0 == "ok")
      #expect(names.count("half.test", .aaaa) < NetworkScenario.attempts)
    }
    await names.stop()
  }

  func overtake(_ network: PrivateNetwork) async throws {
    try addAddresses(network)
    try network.ip("neigh", "add", "fd00:99::77", "lladdr", "02:00:00:00:00:77", "dev", "eth7")
    let dead: [UInt8] = [0xFD, 0, 0, 0x99] + Array(repeating: 0, count: 11) + [0x77]
    let names = try await NameServer { _, kind in .address(kind == .a ? [10, 99, 0, 1] : dead) }
    // Virtual time: the dead address doesn't fail, and nothing times out. Only the race ends the load.
    let clock = ManualClock()
    try await serve({ $0.use(clock) }) { server, session async throws in
      server.enqueue(.text("ok"))
      let load = Task { try await session.text(from: server.url("/", host: "both.test")).0 }
      try await clock.waitForWake(within: 1)
      clock.advance(by: 1)
      #expect(try await load.value == "ok")
    }
    await names.stop()
  }

  /// A name server that would send every name elsewhere.
  func holdTable(_ network: PrivateNetwork) async throws {
    try addAddresses(network)
    let elsewhere: [UInt8] = [0xFD, 0, 0, 0x99] + Array(repeating: 0, count: 11) + [0x77]
    let names = try await NameServer { _, kind in
      switch kind {
      case .a: .address([10, 99, 0, 77])
      case .aaaa: .address(elsewhere)
      case .https: .silence
      }
    }
    try await serve { server, session async throws in
      for host in ["two.test", "TWO.test", "alias.test"] {
        server.enqueue(.text("table"))
        #expect(try await session.text(from: server.url("/", host: host)).0 == "table")
        #expect(names.count(host, .a) == 0 && names.count(host, .aaaa) == 0, "\(host)")
        // Nor where else it is served.
        if let url = URL(string: "https://\(host)") { _ = await session.alternative(of: url) }
      }
      // A refused port is refused: no name server has to give up first.
      let closed = try ClosedPort()
      for host in ["six.test", "localhost", "two.test"] {
        let url = try #require(URL(string: "http://\(host):\(closed.number)/"))
        #expect(await session.failure(of: url)?.code == .cannotConnectToHost, "\(host)")
      }
      // Nor for the family that the table doesn't have.
      let tool = TestProgram.product("urlload")
      for (option, host, expected) in [("-4", "two.test", "table"), ("-6", "two.test", ""), ("-4", "a.localhost", "table")] {
        if !expected.isEmpty { server.enqueue(.text(expected)) }
        let words = ["-q", "-s", option, server.url("/", host: host).absoluteString]
        #expect(try await String(decoding: ChildProcess.output(of: tool, words), as: UTF8.self) == expected, "\(option) \(host)")
      }
      server.enqueue(.text("loopback"))
      #expect(try await session.text(from: server.url("/", host: "localhost")).0 == "loopback")
      for host in ["six.test", "localhost", "a.localhost", "two.test", "alias.test"] {
        for kind in [NameServer.Kind.a, .aaaa, .https] { #expect(names.count(host, kind) == 0, "\(host) \(kind)") }
      }
    }
    await names.stop()
  }
}
