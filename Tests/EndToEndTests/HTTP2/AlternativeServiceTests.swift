import ChildProcesses
import Foundation
import HTTPTransport
import ProtocolRules
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// Alt-Svc (RFC 7838) in loads.
@Suite(.timeLimit(.minutes(10))) struct AlternativeServiceTests {
  private func reply(_ value: String) -> Reply { Reply(200, headers: ["Alt-Svc": value], body: .text("ok")) }

  @Test(arguments: [Wire.tls, .h2]) func originsSayWhereElseTheyAreServed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let clock = ManualClock()
      let network = VirtualNetwork(.toTestServers(.wifi))
      configuration.use(clock)
      configuration.use(network)
      let session = URLSession(configuration: configuration)
      server.enqueue(reply(#"h3=":443"; ma=60, h3-29="other.example:8443"; ma=3600; persist=1"#), .text("ok"), reply("clear"))
      func known() async -> [AlternativeService] { await session.alternativeServices(of: server.url()) }
      #expect(await known().isEmpty)
      _ = try await session.data(from: server.url())
      let lasting = AlternativeService("h3-29", host: "other.example", port: 8443)
      #expect(await known() == [AlternativeService("h3", port: 443), lasting])
      // A response that says nothing changes nothing, and loads use what they used before.
      _ = try await session.data(from: server.url())
      #expect(await known().count == 2)
      clock.advance(by: 30)
      network.change(to: .toTestServers(.wired))
      // The news of it comes by a way of its own.
      let end = HangLimit.end
      while await known() != [lasting], ContinuousClock.now < end { await Task.yield() }
      #expect(await known() == [lasting])
      _ = try await session.data(from: server.url())
      #expect(await known().isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test func plainTextIsNotBelieved() async throws {
    try await Wire.plain.serve { server, configuration async throws in
      let session = URLSession(configuration: configuration)
      server.enqueue(reply(#"h3=":443""#))
      _ = try await session.data(from: server.url())
      #expect(await session.alternativeServices(of: server.url()).isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test func sessionsThatKeepThingsFindThemOnDisk() async throws {
    try await Wire.h2.serve { server, configuration async throws in
      let folder = FileManager.default.temporaryDirectory.appending(path: "alternatives-\(UUID().uuidString)", directoryHint: .isDirectory)
      defer { try? FileManager.default.removeItem(at: folder) }
      let file = folder.appending(path: "alternatives.sqlite", directoryHint: .notDirectory)
      server.enqueue(reply(#"h2=":1", h3="other.example:8443""#))
      let first = AlternativeServiceStore(file: file)
      configuration.alternativeServiceStore = first
      let earlier = URLSession(configuration: configuration)
      _ = try await earlier.data(from: server.url())
      await first.flush()
      let disk = DispatchQueue(label: "disk")
      let second = AlternativeServiceStore(file: file, queue: disk)
      configuration.alternativeServiceStore = second
      let later = URLSession(configuration: configuration)
      // No load waits for the disk: the first look begins its reading.
      disk.suspend()
      #expect(await later.alternative(of: server.url()) == nil)
      disk.resume()
      await second.refresh()
      #expect(await later.alternative(of: server.url()) == AlternativeEndpoint(host: "other.example", port: 8443))
      await later.reset()
      #expect(await later.alternative(of: server.url()) == nil)
      let third = AlternativeServiceStore(file: file)
      await third.refresh()
      #expect(third.isCurrent)
      configuration.alternativeServiceStore = third
      let last = URLSession(configuration: configuration)
      #expect(await last.alternativeServices(of: server.url()).isEmpty)
      for session in [earlier, later, last] { session.invalidateAndCancel() }
    }
  }
}
