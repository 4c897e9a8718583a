import Foundation
import ProtocolRules
import Testing

/// The cases of web-platform-tests, all of them: there are no exceptions.
@Suite(.enabled(if: Conformance.isPresent, Comment(rawValue: Conformance.absence)))
struct DataURLConformanceTests {
  @Test func dataURLsMatchWebPlatformTests() throws {
    let rows = try Conformance.rows("wpt-data-urls.json").compactMap { $0 as? [Any] }
    #expect(rows.count > 60)
    for row in rows {
      let input = try #require(row.first as? String)
      let result = DataURL.process(input)
      #expect(result?.type.serialized == row[1] as? String, "\(input)")
      if row.count > 2 { #expect(result?.body == bytes(row[2]), "\(input)") }
    }
  }

  @Test func forgivingBase64MatchesWebPlatformTests() throws {
    let rows = try Conformance.rows("wpt-base64.json").compactMap { $0 as? [Any] }
    #expect(rows.count > 60)
    for row in rows {
      let input = try #require(row.first as? String)
      #expect(ForgivingBase64.decode(input.utf8) == bytes(row[1]), "\(input)")
    }
  }

  private func bytes(_ value: Any) -> [UInt8]? {
    (value as? [NSNumber])?.map(\.uint8Value)
  }
}
