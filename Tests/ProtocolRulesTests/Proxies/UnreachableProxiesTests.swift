import LoadingModel
import ProtocolRules
import Testing

struct UnreachableProxiesTests {
  private let routes: [Route] = ["a", "b", "c"].map { .tunnel(Proxy(.http, host: $0, port: 1)) } + [.direct]

  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0).advanced(bySeconds: seconds) }

  private func order(_ proxies: UnreachableProxies, _ seconds: Double) -> String {
    proxies.ordered(routes, now: at(seconds)).map { $0.proxy?.host ?? "-" }.joined()
  }

  @Test func unreachableProxiesComeLastForAWhile() throws {
    var proxies = UnreachableProxies()
    #expect(order(proxies, 0) == "abc-")
    proxies.note(try #require(routes[0].proxy), now: at(0))
    #expect(order(proxies, 1) == "bc-a")
    proxies.note(try #require(routes[2].proxy), now: at(100))
    #expect(order(proxies, 200) == "b-ac")
    #expect(order(proxies, 301) == "ab-c")
    #expect(order(proxies, 401) == "abc-")
  }

  @Test func reachedProxiesAreForgiven() throws {
    var proxies = UnreachableProxies()
    let first = try #require(routes[0].proxy)
    proxies.note(first, now: at(0))
    proxies.noteService(of: first)
    #expect(order(proxies, 1) == "abc-")
  }

  @Test func onlyProxyStaysTheOnlyOne() throws {
    var proxies = UnreachableProxies()
    proxies.note(try #require(routes[0].proxy), now: at(0))
    #expect(proxies.ordered([routes[0]], now: at(1)) == [routes[0]])
  }

  @Test func memoryIsBounded() {
    var proxies = UnreachableProxies()
    for number in 0..<10_000 { proxies.note(Proxy(.http, host: "h\(number)", port: 1), now: at(0)) }
    let late = Route.tunnel(Proxy(.http, host: "h9999", port: 1))
    #expect(proxies.ordered([late, .direct], now: at(1)) == [late, .direct])
  }

  @Test func onlyAProxyThatWasThereIsWaitedForAndNotTwice() throws {
    let first = try #require(routes[0].proxy)
    var proxies = UnreachableProxies()
    #expect(proxies.pause(for: first, pausesSoFar: 0) == nil)
    proxies.noteService(of: first)
    for (count, pause) in UnreachableProxies.pauses.enumerated() { #expect(proxies.pause(for: first, pausesSoFar: count) == pause) }
    #expect(proxies.pause(for: first, pausesSoFar: UnreachableProxies.pauses.count) == nil)
    #expect(proxies.pause(for: first, pausesSoFar: 0) == nil)
    proxies.noteService(of: first)
    #expect(proxies.pause(for: first, pausesSoFar: 0) != nil)
  }
}
