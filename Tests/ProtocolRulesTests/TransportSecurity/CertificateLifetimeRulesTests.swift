import Foundation
import ProtocolRules
import Testing

struct CertificateLifetimeRulesTests {
  private static func date(_ text: String) throws -> Date { try Date(text + "T00:00:00Z", strategy: .iso8601) }

  @Test(
    arguments: [
      ("2019-06-30", 1000, nil), ("2019-07-01", 825, nil), ("2019-07-01", 826, 825), ("2020-08-31", 825, nil), ("2020-09-01", 398, nil),
      ("2020-09-01", 399, 398), ("2026-03-14", 398, nil), ("2026-03-15", 200, nil), ("2026-03-15", 201, 200), ("2027-03-15", 101, 100),
      ("2029-03-15", 47, nil), ("2029-03-15", 48, 47), ("2060-01-01", 48, 47),
    ] as [(String, Int, Int?)])
  func dayOfIssueSaysHowLong(_ issued: String, _ days: Int, _ limit: Int?) throws {
    let start = try Self.date(issued)
    #expect(CertificateLifetimeRules.exceededLimit(start...start.addingTimeInterval(Double(days) * 86_400)) == limit)
  }

  @Test func secondMoreIsTooMuch() throws {
    let start = try Self.date("2026-03-15")
    #expect(CertificateLifetimeRules.exceededLimit(start...start.addingTimeInterval(200 * 86_400 + 1)) == 200)
  }
}
