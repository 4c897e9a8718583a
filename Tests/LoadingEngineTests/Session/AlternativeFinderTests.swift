import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import Stores
import Testing

@testable import LoadingEngine
@testable import URLLoadingTestKit

/// Where a session finds that an origin is served elsewhere.
@Suite(.timeLimit(.minutes(10))) struct AlternativeFinderTests {
  /// Knows HTTPS records with h3 of these names.
  private struct Names: ServiceBindingResolver {
    let known: [String]

    func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void) {
      guard let host = name.host, known.contains(host), let binding = ServiceBinding([0, 1, 0, 0, 1, 0, 3, 2, 0x68, 0x33]) else {
        return answer(ServiceBindingAnswer(.none))
      }
      answer(ServiceBindingAnswer(.services([binding], owner: name), lifetime: 60))
    }
  }

  private let origin = Origin(scheme: "https", host: "a.example", port: 443)
  private let other = Origin(scheme: "https", host: "b.example", port: 443)

  private func head(_ value: String) -> ResponseHead { ResponseHead(status: 200, headers: HeaderFields([("Alt-Svc", value)])) }

  private func endpoint(_ bench: StageBench, _ origin: Origin) async throws -> AlternativeEndpoint? {
    try await bench.onLoop { bench.session.alternative(of: origin) }
  }

  /// Returns when what was found so far has been noted.
  private func note(_ bench: StageBench, _ value: String, from origin: Origin) async throws {
    try await bench.onLoop { [head = head(value)] in bench.session.alternatives.note(head, from: origin) }
  }

  @Test func whatTheOriginSaysComesBeforeTheDNS() async throws {
    let bench = StageBench { $0.serviceBindings = Names(known: ["a.example"]) }
    #expect(try await endpoint(bench, origin) == nil)
    #expect(try await endpoint(bench, origin) == AlternativeEndpoint(host: "a.example", port: 443))
    try await note(bench, #"h2=":1", h3-29=":2", h3="c.example:3", h3=":4""#, from: origin)
    #expect(try await endpoint(bench, origin) == AlternativeEndpoint(host: "c.example", port: 3))
    try await note(bench, #"h3=":4""#, from: origin)
    #expect(try await endpoint(bench, origin) == AlternativeEndpoint(host: "a.example", port: 4))
    try await note(bench, "clear", from: origin)
    #expect(try await endpoint(bench, origin) == AlternativeEndpoint(host: "a.example", port: 443))
  }

  @Test func placeThatHasTurnedOutWrongIsForgotten() async throws {
    let bench = StageBench { $0.serviceBindings = Names(known: ["a.example"]) }
    _ = try await endpoint(bench, origin)
    try await note(bench, #"h3="c.example:3", h3=":4""#, from: origin)
    for port in [3, 4, 443] {
      let place = try #require(try await endpoint(bench, origin))
      #expect(place.port == port)
      try await bench.onLoop { [origin] in bench.session.alternatives.forget(place, of: origin) }
    }
    #expect(try await endpoint(bench, origin) == nil)
  }

  @Test func changeOfNetworkForgetsWhatDoesNotOutlastIt() async throws {
    let network = VirtualNetwork(.toTestServers(.wifi))
    let bench = StageBench {
      $0.serviceBindings = Names(known: ["b.example"])
      $0.network = network
    }
    try await bench.onLoop { bench.session.alternatives.prepare() }
    try await note(bench, #"h3=":4", h3=":5";persist=1"#, from: origin)
    _ = try await endpoint(bench, other)
    #expect(try await endpoint(bench, other) != nil)
    #expect(try await endpoint(bench, origin)?.port == 4)
    network.change(to: .toTestServers(.wired))
    #expect(try await endpoint(bench, origin)?.port == 5)
    #expect(try await endpoint(bench, other) == nil)
    #expect(try await endpoint(bench, other) != nil)
  }

  @Test func linkLocalAddressesChangeNoNetwork() async throws {
    let network = VirtualNetwork(.toTestServers(.wifi))
    let bench = StageBench { $0.network = network }
    try await bench.onLoop { bench.session.alternatives.prepare() }
    try await note(bench, #"h3=":4""#, from: origin)
    let virtual = NetworkConditions.Interface("veth0", .wired, metering: .unmetered, addresses: ["fe80::1"], hasDefaultRoute: false)
    network.change(to: .toTestServers(.wifi), virtual)
    #expect(try await endpoint(bench, origin)?.port == 4)
  }

  @Test func whatTheDiskAndTheDNSKnowIsToldWhenTheyHaveAnswered() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "finder-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "alternatives.sqlite", directoryHint: .notDirectory)
    let earlier = AlternativeServiceStore(file: file)
    let disk = DispatchQueue(label: "disk")
    let bench = StageBench {
      $0.alternatives = AlternativeServiceStore(file: file, queue: disk)
      $0.serviceBindings = Names(known: ["b.example"])
    }
    earlier.note(head(#"h3=":4""#), from: origin, now: bench.clock.date)
    await earlier.flush()
    let found = Watched<[Origin]>([])
    disk.suspend()
    try await bench.onLoop {
      bench.session.alternatives.found = { origin in found.update { $0.append(origin) } }
    }
    // No load waits for the disk.
    for _ in 0..<2 { #expect(try await endpoint(bench, origin) == nil) }
    #expect(try await endpoint(bench, other) == nil)
    try await found.wait { $0 == [other] }
    disk.resume()
    try await found.wait { $0 == [other, origin] }
    #expect(try await endpoint(bench, origin) == AlternativeEndpoint(host: "a.example", port: 4))
    #expect(try await endpoint(bench, other) == AlternativeEndpoint(host: "b.example", port: 443))
  }

  @Test func whatIsSaidBeforeTheDiskHasBeenReadIsToldAfterwards() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "finder-\(UUID().uuidString)", directoryHint: .isDirectory)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "alternatives.sqlite", directoryHint: .notDirectory)
    let disk = DispatchQueue(label: "disk")
    let bench = StageBench { $0.alternatives = AlternativeServiceStore(file: file, queue: disk) }
    let found = Watched<[Origin]>([])
    disk.suspend()
    try await bench.onLoop {
      bench.session.alternatives.found = { origin in found.update { $0.append(origin) } }
    }
    try await note(bench, #"h3=":4""#, from: origin)
    #expect(try await endpoint(bench, origin) == nil)
    #expect(found.read { $0.isEmpty })
    disk.resume()
    try await found.wait { $0 == [origin] }
    #expect(try await endpoint(bench, origin)?.port == 4)
    // From now on at once.
    try await note(bench, #"h3=":5""#, from: origin)
    #expect(found.read { $0 } == [origin, origin])
  }

  @Test func clearingAsksNoNameServer() async throws {
    let asked = Watched<[String]>([])
    let bench = StageBench { $0.serviceBindings = Asked(names: asked) }
    try await note(bench, "clear", from: origin)
    try await note(bench, #"h2=":4""#, from: origin)
    #expect(asked.read { $0.isEmpty })
    _ = try await endpoint(bench, origin)
    #expect(asked.read { $0 } == ["a.example"])
  }

  private struct Asked: ServiceBindingResolver {
    let names: Watched<[String]>

    func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void) {
      names.update { $0.append(name.host ?? "") }
      answer(nil)
    }
  }
}
