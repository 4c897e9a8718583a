import Foundation
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct MediaTypeTests {
  @Test func essenceAndCharsetAreLowerCased() throws {
    let type = try #require(MediaType("Text/HTML ; Charset=\"ISO-8859-1\""))
    #expect(type.essence == "text/html")
    #expect(type.charset == "iso-8859-1")
    #expect(type["charset"] == "ISO-8859-1")
  }

  @Test(arguments: [("json", "json"), (" Text/Plain ;x", "text/plain"), ("a b/c; d", "a b/c"), ("; charset=x", nil), ("", nil)])
  func malformedTypesKeepWhatStandsBeforeTheParameters(text: String, essence: String?) {
    #expect(MediaType.lenientEssence(text) == essence)
  }

  @Test(arguments: ["wpt-mime-types.json", "wpt-generated-mime-types.json"])
  func parserAgreesWithTheWebPlatformTests(file: String) throws {
    var root = URL(filePath: #filePath).resolvingSymlinksInPath()
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let path = root.appending(path: "../shared/conformance/\(file)").standardizedFileURL
    guard let data = try? Data(contentsOf: path) else {
      print("skipped: no \(path.path)")
      return
    }
    let items = try #require(try JSONSerialization.jsonObject(with: data) as? [Any])
    for case let item as [String: Any] in items {
      let input = try #require(item["input"] as? String)
      #expect(MediaType(input)?.serialised == item["output"] as? String, "input: \(input.debugDescription)")
    }
  }
}

extension MediaType {
  /// WHATWG MIME Sniffing, 4.5.
  fileprivate var serialised: String {
    var result = essence
    for (name, value) in parameters {
      let isToken =
        !value.isEmpty
        && value.unicodeScalars.allSatisfy { scalar in
          scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "!#$%&'*+-.^_`|~".unicodeScalars.contains(scalar))
        }
      let escaped = value.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(of: "\"", with: "\\\"")
      result += ";\(name)=" + (isToken ? value : "\"\(escaped)\"")
    }
    return result
  }
}
