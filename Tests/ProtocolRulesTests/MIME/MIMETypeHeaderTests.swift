import LoadingModel
import ProtocolRules
import Testing

/// Several types in one response. The expectations are the Fetch standard's.
struct MIMETypeHeaderTests {
  @Test(
    arguments: [
      (["text/plain"], "text/plain"), (["text/html;charset=gbk", "text/plain"], "text/plain"), (["text/html, text/plain"], "text/plain"),
      (["text/html;charset=gbk, text/html"], "text/html;charset=gbk"),
      (["text/html;charset=gbk, text/html;charset=utf-8"], "text/html;charset=utf-8"),
      (["text/html;charset=gbk, text/html;x=\",text/plain"], "text/html;x=\",text/plain\";charset=gbk"),
      (["text/html;charset=gbk, text/plain, text/html"], "text/html"), (["text/html, cannot-parse"], "text/html"),
      (["text/html, */*"], "text/html"),
      (["text/html, "], "text/html"), ([",text/html"], "text/html"), (["*/*"], nil), (["cannot-parse"], nil), ([""], nil), ([], nil),
      (["text/plain;charset=\"a\\\",b\", text/html"], "text/html"), (["text/plain", "*/*", "bad"], "text/plain"),
    ] as [([String], String?)])
  func lastValidTypeCounts(_ values: [String], _ expected: String?) {
    let headers = HeaderFields(values.map { ("Content-Type", $0) })
    #expect(MIMEType.named(by: headers)?.serialized == expected)
  }

  @Test func malformedTypeIsStillShown() {
    #expect(MIMEType.lenientEssence(HeaderFields([("Content-Type", "Cannot Parse; x")])) == "cannot parse")
    #expect(MIMEType.lenientEssence(HeaderFields([("Content-Type", "cannot-parse"), ("Content-Type", "a/B")])) == "a/b")
  }
}
