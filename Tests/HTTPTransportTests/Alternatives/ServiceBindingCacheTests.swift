import LoadingModel
import NIOCore
import NIOEmbedded
import ProtocolRules
import Testing

@testable import HTTPTransport

/// What a session knows of HTTPS records (RFC 9460).
@Suite struct ServiceBindingCacheTests {
  private final class Clock: LoadClock, @unchecked Sendable {
    // @unchecked: used by one test on one thread.
    var now = Instant(nanoseconds: 1_000_000_000)
    func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) {}
    func advance(by seconds: Double) { now = now.advanced(bySeconds: seconds) }
  }

  /// Answers at once, or when the test says so.
  private final class Names: ServiceBindingResolver, @unchecked Sendable {
    // @unchecked: used by one test on one thread.
    var answers: [String: ServiceBindingAnswer] = [:]
    var isHeld = false
    private(set) var asked: [String] = []
    private var held: [@Sendable () -> Void] = []

    func ask(_ name: DNSName, _ answer: @escaping @Sendable (ServiceBindingAnswer?) -> Void) {
      let host = name.host ?? ""
      asked.append(host)
      let found = answers[host]
      if isHeld { held.append { answer(found) } } else { answer(found) }
    }

    func release() {
      let held = held
      self.held = []
      for answer in held { answer() }
    }
  }

  private let loop = EmbeddedEventLoop()
  private let clock = Clock()
  private let names = Names()
  private let origin = Origin(scheme: "https", host: "a.example", port: 443)

  private var cache: ServiceBindingCache { ServiceBindingCache(eventLoop: loop, clock: clock, service: names) }

  /// One record with h3, of `host`.
  private func services(_ host: String, lifetime: UInt32 = 60) throws -> ServiceBindingAnswer {
    let binding = try #require(ServiceBinding([0, 1, 0, 0, 1, 0, 3, 2, 0x68, 0x33]))
    return ServiceBindingAnswer(.services([binding], owner: try #require(DNSName(host))), lifetime: lifetime)
  }

  private func alias(_ host: String, lifetime: UInt32 = 60) throws -> ServiceBindingAnswer {
    ServiceBindingAnswer(.alias(try #require(DNSName(host))), lifetime: lifetime)
  }

  @Test func answersServeLaterLoadsForTheirTime() throws {
    names.answers["a.example"] = try services("a.example")
    let cache = cache
    var found: [Origin] = []
    cache.found = { found.append($0) }
    // No load waits.
    #expect(cache.place(of: origin) == nil)
    loop.run()
    #expect(found == [origin])
    #expect(cache.place(of: origin) == AlternativeEndpoint(host: "a.example", port: 443))
    clock.advance(by: 59)
    #expect(cache.place(of: origin) != nil)
    #expect(names.asked.count == 1)
    clock.advance(by: 2)
    #expect(cache.place(of: origin) == nil)
    loop.run()
    #expect(names.asked.count == 2)
    #expect(cache.place(of: origin) != nil)
  }

  @Test func questionUnderWayServesAll() throws {
    names.isHeld = true
    names.answers["a.example"] = try services("a.example")
    let cache = cache
    for _ in 0..<3 { #expect(cache.place(of: origin) == nil) }
    #expect(names.asked.count == 1)
    names.release()
    loop.run()
    #expect(cache.place(of: origin) != nil)
  }

  @Test func aliasesAreFollowedForTheShortestLifetime() throws {
    names.answers["a.example"] = try alias("b.example", lifetime: 10)
    names.answers["b.example"] = try services("b.example", lifetime: 1000)
    let cache = cache
    _ = cache.place(of: origin)
    loop.run()
    #expect(names.asked == ["a.example", "b.example"])
    #expect(cache.place(of: origin)?.host == "b.example")
    clock.advance(by: 11)
    #expect(cache.place(of: origin) == nil)
  }

  @Test func aliasesWithoutEndAreGivenUp() throws {
    names.answers["a.example"] = try alias("a.example")
    let cache = cache
    _ = cache.place(of: origin)
    loop.run()
    #expect(names.asked.count == ServiceBindingRules.aliasLimit + 1)
    #expect(cache.place(of: origin) == nil)
    #expect(names.asked.count == ServiceBindingRules.aliasLimit + 1)
  }

  @Test func absenceAndSilenceAreRememberedForAWhile() {
    names.answers["a.example"] = ServiceBindingAnswer(.none)
    let cache = cache
    let silent = Origin(scheme: "https", host: "b.example", port: 443)
    for origin in [origin, silent] { _ = cache.place(of: origin) }
    loop.run()
    clock.advance(by: ServiceBindingRules.failureLifetime + 1)
    for origin in [origin, silent] { #expect(cache.place(of: origin) == nil) }
    #expect(names.asked == ["a.example", "b.example", "b.example"])
    clock.advance(by: ServiceBindingRules.absenceLifetime)
    _ = cache.place(of: origin)
    #expect(names.asked.count == 4)
  }

  @Test func changeOfNetworkForgetsAnswersAndThoseStillToCome() throws {
    names.answers["a.example"] = try services("a.example")
    let cache = cache
    _ = cache.place(of: origin)
    loop.run()
    cache.removeAll()
    names.isHeld = true
    #expect(cache.place(of: origin) == nil)
    cache.removeAll()
    names.release()
    loop.run()
    #expect(cache.place(of: origin) == nil)
    #expect(names.asked.count == 3)
    names.release()
    loop.run()
    #expect(cache.place(of: origin) != nil)
  }

  @Test func placesAreToldOnceTheyAreKnown() throws {
    names.isHeld = true
    names.answers["a.example"] = try services("a.example")
    let cache = cache
    var told: [[ServicePlace]] = []
    for _ in 0..<2 { #expect(cache.places(of: origin) { told.append($0) } == nil) }
    names.release()
    loop.run()
    let place = ServicePlace(host: "a.example", port: 443, protocols: ["h3", "http/1.1"])
    #expect(told == [[place], [place]])
    #expect(cache.places(of: origin) { _ in } == [place])
    // A question that is dropped tells nothing.
    cache.removeAll()
    #expect(cache.places(of: origin) { told.append($0) } == nil)
    cache.removeAll()
    names.release()
    loop.run()
    #expect(told.count == 2)
    #expect(cache.places(of: Origin(scheme: "https", host: "127.0.0.1", port: 443)) { _ in } == [])
  }

  @Test func placesThatWorkComeFirstAndThoseThatDoNotAreLeft() throws {
    names.answers["a.example"] = try services("a.example")
    let cache = cache
    _ = cache.places(of: origin) { _ in }
    loop.run()
    let place = ServicePlace(host: "a.example", port: 443, protocols: ["h3", "http/1.1"])
    let other = ServicePlace(host: "b.example", port: 443)
    cache.prefer(other, of: origin)
    #expect(cache.places(of: origin) { _ in } == [other, place])
    cache.drop(place, of: origin)
    #expect(cache.places(of: origin) { _ in } == [other])
    // HTTP/3 is another matter.
    #expect(cache.place(of: origin) != nil)
    clock.advance(by: 61)
    #expect(cache.places(of: origin) { _ in } == nil)
    loop.run()
    #expect(cache.places(of: origin) { _ in } == [place])
  }

  /// RFC 9460, 3: the last name of the aliases, with the origin's port.
  @Test func lastAliasIsAPlaceToo() throws {
    names.answers["a.example"] = try alias("b.example", lifetime: 10)
    let cache = cache
    _ = cache.places(of: origin) { _ in }
    loop.run()
    #expect(cache.places(of: origin) { _ in } == [ServicePlace(host: "b.example", port: 443)])
    names.answers["b.example"] = try services("c.example")
    cache.removeAll()
    _ = cache.places(of: origin) { _ in }
    loop.run()
    #expect(cache.places(of: origin) { _ in }?.map(\.host) == ["c.example", "b.example"])
    names.answers["b.example"] = try alias("a.example")
    cache.removeAll()
    _ = cache.places(of: origin) { _ in }
    loop.run()
    #expect(cache.places(of: origin) { _ in } == [])
  }

  @Test func originsAreBounded() {
    let cache = cache
    for number in 0..<(ServiceBindingRules.limit + 10) {
      _ = cache.place(of: Origin(scheme: "https", host: "h\(number).example", port: 443))
    }
    loop.run()
    _ = cache.place(of: Origin(scheme: "https", host: "h0.example", port: 443))
    // The first ones were forgotten.
    #expect(names.asked.count == ServiceBindingRules.limit + 11)
  }

  @Test func namesThatTheDNSDoesNotKnowAreNotAskedAbout() {
    #expect(cache.place(of: Origin(scheme: "https", host: "127.0.0.1", port: 443)) == nil)
    #expect(names.asked.isEmpty)
  }
}
