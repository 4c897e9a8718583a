import Foundation
import LoadingModel
import Testing

@testable import ProtocolRules

/// A login that a response varies by: a code takes its place in what is stored.
struct VaryLoginTests {
  private let head = ResponseHead(status: 200, headers: HeaderFields([("Vary", "Authorization, Foo")]))

  private func kept(_ login: String) -> HeaderFields {
    VaryRules.nominated(head, in: HeaderFields([("Authorization", login), ("Foo", "1"), ("Bar", "2")]))
  }

  private func matches(_ stored: HeaderFields, _ sent: [(String, String)]) -> Bool {
    let then = Date(timeIntervalSince1970: 0)
    let facts = StoredFacts(head: head, requestFields: stored, requestTime: then, responseTime: then, bodyLength: 1)
    return VaryRules.matches(facts) { HeaderFields(sent + [("Foo", "1")]) }
  }

  @Test func loginIsNotStoredAndFitsAllTheSame() {
    let stored = kept("Basic YW5uOnBhc3N3b3Jk")
    #expect(stored.entries.map(\.name) == ["Authorization", "Foo"])
    #expect(!stored.entries.contains { $0.value.contains("YW5u") || $0.value.contains("Basic") })
    #expect(matches(stored, [("Authorization", "Basic YW5uOnBhc3N3b3Jk")]))
    #expect(!matches(stored, [("Authorization", "Basic Ym9iOnBhc3N3b3Jk")]))
    #expect(!matches(stored, []))
    #expect(!matches(HeaderFields([("Foo", "1")]), [("Authorization", "Basic YW5uOnBhc3N3b3Jk")]))
  }

  @Test func whoeverDoesNotKnowTheLoginAsksWithWhatIsStored() {
    let stored = kept("Basic YW5uOnBhc3N3b3Jk")
    #expect(matches(stored, [("Authorization", stored.first("Authorization") ?? "")]))
  }
}
