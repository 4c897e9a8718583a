import ProtocolRules
import Testing

@Suite struct MIMETypeTests {
  @Test func essenceAndCharsetAreLowerCased() throws {
    let type = try #require(MIMEType("Text/HTML ; Charset=\"ISO-8859-1\""))
    #expect(type.essence == "text/html")
    #expect(type.charset == "iso-8859-1")
    #expect(type.parameter("charset") == "ISO-8859-1")
  }

  @Test(.timeLimit(.minutes(1))) func ofAnyNumberOfParametersTheFirstOfANameCounts() throws {
    let numbers = 0..<10_000
    let text = (numbers.map { "p\($0)=1" } + numbers.map { "P\($0)=2" }).joined(separator: ";")
    let type = try #require(MIMEType("text/plain;" + text + ";last=3"))
    #expect(type.parameters.count == 10_001)
    #expect(type.parameters.dropLast().allSatisfy { $0.value == "1" })
    #expect(type.parameter("last") == "3")
  }

  @Test(arguments: [("json", "json"), (" Text/Plain ;x", "text/plain"), ("a b/c; d", "a b/c"), ("; charset=x", nil), ("", nil)])
  func malformedTypesKeepWhatStandsBeforeTheParameters(text: String, essence: String?) {
    #expect(MIMEType.lenientEssence(text) == essence)
  }

  @Test(
    arguments: [
      ("text/html", "text/html"), (" Text/HTML ; Charset=\"utf-8\" ", "text/html;charset=utf-8"), ("a/b;x=\"\\\"\"", "a/b;x=\"\\\"\""),
      ("a/b;x=1;X=2", "a/b;x=1"), ("a/b;;;x=1", "a/b;x=1"), ("a/b;\u{212A}=1;y=2", "a/b;y=2"), ("a", nil), ("a/", nil), ("/b", nil),
      ("a b/c", nil), ("a/b/c", nil), ("", nil), ("\u{212A}/b", nil), ("a/b;x=\"open ", "a/b;x=open"), ("a/b;x=\"\\é\"", "a/b;x=\"é\""),
      ("a/b;x=\"end\\", "a/b;x=\"end\\\\\""), ("\r\na/b\n;\tx=y\r\n", "a/b;x=y"),
    ] as [(String, String?)])
  func typeIsNormalized(text: String, expected: String?) {
    let type = MIMEType(text)
    #expect(type?.serialized == expected)
    if let expected { #expect(MIMEType(expected) == type) }
  }
}
