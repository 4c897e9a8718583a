import Foundation
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct CookieWaitingTests {
  private let folder = TemporaryFolder()
  private let now = Date(timeIntervalSince1970: 1_700_000_000)
  private var file: URL { folder.url.appending(path: "cookies.sqlite") }

  @Test func removalThatTheDiskRefusedIsMadeLater() throws {
    let store = CookieStore(file: file, now: { [now] in now })
    store.write { jar, now in
      let cookie = Cookie(name: "a", value: "1", domain: "a.test", path: "/", expires: now + 60)
      return [.put(StoredCookie(cookie, created: now, stored: now, number: 1))]
    }
    let database = try DatabaseConnections(path: file.path())
    func rows() throws -> Int? { try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM cookie") } }
    #expect(try rows() == 1)
    try database.write {
      try $0.execute(sql: "CREATE TRIGGER full BEFORE DELETE ON cookie BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }
    store.write { _, _ in [.removeAll(storedAfter: .distantPast)] }
    #expect(try rows() == 1)
    try database.write { try $0.execute(sql: "DROP TRIGGER full") }
    store.flush()
    #expect(try rows() == 0)
    let next = CookieStore(file: file, now: { [now] in now })
    let left = next.read { jar, _ in jar.count }
    #expect(left == 0)
  }

  @Test func refusedChangesKeepTheirOrderAndTheLastValue() {
    func put(_ value: String) -> CookieChange {
      .put(StoredCookie(Cookie(name: "a", value: value, domain: "a.test", path: "/", expires: now), created: now, stored: now, number: 1))
    }
    let changes = [put("1"), .removeAll(storedAfter: now)].followed(by: [put("2")])
    guard case .removeAll? = changes.first, case .put(let last)? = changes.last else {
      Issue.record("the order is another: \(changes)")
      return
    }
    #expect(changes.count == 2)
    #expect(last.cookie.value == "2")
  }
}
