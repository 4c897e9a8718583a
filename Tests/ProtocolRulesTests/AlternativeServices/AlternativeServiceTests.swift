import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

/// After RFC 7838.
@Suite struct AlternativeServiceTests {
  private static let origin = Origin(scheme: "https", host: "origin.example", port: 443)
  private static let start = Date(timeIntervalSince1970: 1_700_000_000)

  private func offers(_ value: String) -> [AlternativeServiceField.Offer]? {
    guard case .offers(let offers)? = AlternativeServiceField(value) else { return nil }
    return offers
  }

  private func services(_ value: String) -> [AlternativeService]? { offers(value)?.map(\.service) }

  private func memory(_ value: String, _ others: [(name: String, value: String)] = [], status: Int = 200) -> AlternativeServiceMemory {
    var memory = AlternativeServiceMemory()
    memory.note(head(value, others, status: status), from: Self.origin, now: Self.start)
    return memory
  }

  private func head(_ value: String, _ others: [(name: String, value: String)] = [], status: Int = 200) -> ResponseHead {
    ResponseHead(status: status, headers: HeaderFields([("Alt-Svc", value)] + others))
  }

  private func known(_ memory: AlternativeServiceMemory, after seconds: Double = 0) -> [AlternativeService] {
    memory.services(of: Self.origin, now: Self.start + seconds)
  }

  // MARK: 3, the field

  @Test func examplesOfTheRFCAreUnderstood() {
    #expect(services(#"h2=":8000""#) == [AlternativeService("h2", port: 8000)])
    #expect(services(#"h2="new.example.org:80""#) == [AlternativeService("h2", host: "new.example.org", port: 80)])
    #expect(
      services(#"h2="alt.example.com:8000", h2=":443""#) == [
        AlternativeService("h2", host: "alt.example.com", port: 8000), AlternativeService("h2", port: 443),
      ])
    #expect(services(#"w%3Dx%3Ay#z=":80""#) == [AlternativeService("w=x:y#z", port: 80)])
    #expect(services(#"x%25y=":80""#) == [AlternativeService("x%y", port: 80)])
    #expect(offers(#"h2=":443"; ma=3600"#)?.map(\.maximumAge) == [3600])
    #expect(offers(#"h2=":443"; ma=2592000; persist=1"#)?.map(\.outlastsNetwork) == [true])
    #expect(AlternativeServiceField("clear") == .clear)
  }

  @Test func withoutWordsTheyHoldForADayOnOneNetwork() {
    #expect(offers(#"h3=":443""#)?.first?.maximumAge == 86400)
    #expect(offers(#"h3=":443""#)?.first?.outlastsNetwork == false)
    #expect(offers(#"h3=":443";persist=0"#)?.first?.outlastsNetwork == false)
    #expect(offers(#"h3=":443";persist=yes"#)?.first?.outlastsNetwork == false)
  }

  @Test func listsAreThoseOfHTTP() {
    #expect(services(",, h3=\":443\" ,\t,h2=\":444\",")?.map(\.port) == [443, 444])
    #expect(offers(#"h3=":443" ; ma="60" ;v="46,43"; x=y, h2=":1""#)?.map(\.maximumAge) == [60, 86400])
    #expect(services(#"h3="[2001:DB8::1]:443""#) == [AlternativeService("h3", host: "2001:db8::1", port: 443)])
    #expect(offers(#"h3=":443";ma=99999999999999999999999"#)?.first?.maximumAge == 1 << 31)
    let lines = HeaderFields([("alt-svc", #"h3=":443""#), ("Alt-Svc", #"h2=":444""#)])
    if case .offers(let offers)? = AlternativeServiceField(lines) { #expect(offers.count == 2) } else { Issue.record("nothing understood") }
    #expect(services((0..<100).map { "h3=\":\($0 + 1)\"" }.joined(separator: ","))?.count == AlternativeServiceField.limit)
  }

  @Test(
    arguments: [
      "", " ", ",", "h3", "h3=", "h3=:443", "h3=\":443", "=\":443\"", "h3=\":443\" x", "h3=\":443\"; ma", "h3=\":443\";ma=",
      "Clear", "clear, h3=\":443\"", "h3=\":443\", clear", "h3=\":443\\", "h(3)=\":443\"",
    ])
  func whatFollowsNoGrammarChangesNothing(value: String) { #expect(AlternativeServiceField(value) == nil) }

  @Test(
    arguments: [
      "h3=\"\"", "h3=\"443\"", "h3=\":\"", "h3=\":0\"", "h3=\":65536\"", "h3=\":-1\"", "h3=\":x\"", "h3=\"a b:443\"", "h3=\"::1:443\"",
      "h3=\"[]:443\"", "%zz=\":443\"", "%4=\":443\"", "h3=\":443\";ma=x", "h3=\":443\";ma=-1", "%ff=\":443\"",
    ])
  func alternativesThatCanNotBeAreLeftOut(value: String) {
    #expect(services(value + #", h2=":444""#) == [AlternativeService("h2", port: 444)])
  }

  @Test func noFieldIsNone() { #expect(AlternativeServiceField(HeaderFields([("Age", "1")])) == nil) }

  // MARK: memory

  @Test func theyHoldForTheirTime() {
    let memory = memory(#"h3=":443";ma=60, h2=":444";ma=120"#)
    #expect(known(memory, after: 59).map(\.protocolName) == ["h3", "h2"])
    #expect(known(memory, after: 61).map(\.protocolName) == ["h2"])
    #expect(known(memory, after: 121) == [])
  }

  /// 3.1: the time counts from when the response was made.
  @Test func ageOfTheResponseCounts() {
    #expect(known(memory(#"h3=":443";ma=60"#, [("Age", "50")]), after: 9).count == 1)
    #expect(known(memory(#"h3=":443";ma=60"#, [("Age", "50")]), after: 11).isEmpty)
    #expect(memory(#"h3=":443";ma=60"#, [("Age", "60")]).isEmpty)
    #expect(memory(#"h3=":443";ma=0"#).isEmpty)
  }

  @Test func theLastWordCounts() {
    var memory = memory(#"h3=":443""#)
    memory.note(head(#"h2=":444""#), from: Self.origin, now: Self.start)
    #expect(known(memory).map(\.protocolName) == ["h2"])
    memory.note(head("nonsense"), from: Self.origin, now: Self.start)
    #expect(known(memory).count == 1)
    memory.note(head("clear"), from: Self.origin, now: Self.start)
    #expect(memory.isEmpty)
  }

  /// 2.1 and 6.
  @Test func whoCanNotBeBelievedIsNotNoted() {
    var memory = memory(#"h3=":443""#, status: 421)
    #expect(memory.isEmpty)
    memory.note(head(#"h3=":443""#), from: Origin(scheme: "http", host: "origin.example", port: 80), now: Self.start)
    #expect(memory.isEmpty)
  }

  /// 2.2.
  @Test func changedNetworkLeavesThoseThatOutlastIt() {
    var memory = memory(#"h3=":443", h2=":444";persist=1"#)
    memory.changeNetwork(now: Self.start)
    #expect(known(memory).map(\.protocolName) == ["h2"])
    var other = self.memory(#"h3=":443""#)
    other.changeNetwork(now: Self.start)
    #expect(other.isEmpty)
  }

  /// Servers send the field with each response.
  @Test func whatIsRepeatedIsNoChange() {
    var memory = memory(#"h3=":443";ma=1000"#)
    let repeated = head(#"h3=":443";ma=1000"#)
    #expect(memory.change(by: repeated, from: Self.origin, now: Self.start + 49) == nil)
    #expect(memory.change(by: repeated, from: Self.origin, now: Self.start + 51) != nil)
    #expect(memory.change(by: head(#"h3=":443";ma=1000;persist=1"#), from: Self.origin, now: Self.start) != nil)
    #expect(memory.change(by: head(#"h3=":444";ma=1000"#), from: Self.origin, now: Self.start) != nil)
    #expect(memory.change(by: head(#"h3=":443";ma=1000, h2=":444""#), from: Self.origin, now: Self.start) != nil)
    memory.note(head("clear"), from: Self.origin, now: Self.start)
    #expect(memory.change(by: head("clear"), from: Self.origin, now: Self.start) == nil)
  }

  @Test func originsAreBounded() {
    var memory = AlternativeServiceMemory()
    for number in 0..<3000 {
      let origin = Origin(scheme: "https", host: "\(number).example", port: 443)
      memory.note(head(#"h3=":443""#), from: origin, now: Self.start + Double(number))
    }
    #expect(memory.count <= AlternativeServiceMemory.limit)
    let last = Origin(scheme: "https", host: "2999.example", port: 443)
    #expect(memory.services(of: last, now: Self.start + 3000).count == 1)
    // What no longer holds is removed first.
    let late = Self.start + 1_000_000
    for number in 0..<200 {
      memory.note(head(#"h3=":443""#), from: Origin(scheme: "https", host: "new\(number).example", port: 443), now: late)
    }
    #expect(memory.services(of: Origin(scheme: "https", host: "new0.example", port: 443), now: late).count == 1)
  }
}

extension AlternativeServiceMemory {
  fileprivate mutating func note(_ head: ResponseHead, from origin: Origin, now: Date) {
    if let change = change(by: head, from: origin, now: now) { _ = apply(change, now: now) }
  }

  fileprivate mutating func changeNetwork(now: Date) {
    for change in changesOfNetwork() { _ = apply(change, now: now) }
  }
}
