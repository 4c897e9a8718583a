import Foundation
import ProtocolRules
import Testing

/// The cases of web-platform-tests, all of them: there are no exceptions.
@Suite(.enabled(if: Conformance.isPresent, Comment(rawValue: Conformance.absence)))
struct MIMETypeConformanceTests {
  @Test(arguments: [("wpt-mime-types.json", 40), ("wpt-generated-mime-types.json", 500)])
  func mimeTypesMatchWebPlatformTests(file: String, minimum: Int) throws {
    // Strings between the cases are headlines.
    let rows = try Conformance.rows(file).compactMap { $0 as? [String: Any] }
    #expect(rows.count > minimum)
    for row in rows {
      let input = try #require(row["input"] as? String)
      #expect(MIMEType(input)?.serialized == row["output"] as? String, "\(input)")
    }
  }
}
