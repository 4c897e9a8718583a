import Testing

@testable import ProtocolRules

@Suite struct FieldCursorTests {
  /// What `body` returns of a cursor over `text`, and what it leaves unread.
  private func read<Value>(_ text: String, _ body: (inout FieldCursor) -> Value) -> (value: Value, rest: Substring) {
    var cursor = FieldCursor(text)
    let value = body(&cursor)
    return (value, cursor.rest)
  }

  @Test(
    arguments: [("max-age=5", "max-age", "=5"), ("a", "a", ""), (" a", nil, " a"), ("", nil, ""), ("=", nil, "="), ("aé", "a", "é")]
      as [(String, String?, Substring)])
  func tokensEndAtWhatNoTokenHas(text: String, expected: String?, rest: Substring) {
    let token = read(text) { $0.token() }
    #expect(token.value == expected)
    #expect(token.rest == rest)
  }

  @Test(
    arguments: [
      (#""""#, "", ""), (#""a b";c"#, "a b", ";c"), (#""a\"b\\""#, #"a"b\"#, ""), (#""grün\ü""#, "grünü", ""), ("\"open", nil, ""),
      (#""open\"#, nil, ""), ("plain", nil, "plain"), ("", nil, ""),
    ] as [(String, String?, String)])
  func quotedStringsAreUnescaped(text: String, expected: String?, rest: String) {
    let quoted = read(text) { $0.quotedString() }
    #expect(quoted.value == expected)
    #expect(quoted.rest == rest)
  }

  @Test(arguments: [("\"open", "open"), (#""open\"#, #"open\"#), (#""closed" x"#, "closed"), ("plain", nil)] as [(String, String?)])
  func missingClosingQuoteMayEndTheString(text: String, expected: String?) {
    let quoted = read(text) { $0.openQuotedString() }
    #expect(quoted.value == expected)
  }

  @Test(
    arguments: [
      ("a", "a", nil, ""), ("a = b ;", "a", "b", ";"), ("a=\"b c\",d", "a", "b c", ",d"), ("a \t,", "a", nil, ","),
    ] as [(String, String, String?, String)])
  func parametersHaveAnOptionalValue(text: String, name: String, value: String?, rest: String) throws {
    let result = read(text) { $0.parameter() }
    let parameter = try #require(result.value)
    #expect(parameter.name == name)
    #expect(parameter.value == value)
    #expect(result.rest == rest)
  }

  @Test(arguments: ["", "=b", "a=", "a=\"b", "a=,", "é=1"]) func brokenParametersAreNone(text: String) {
    let result = read(text) { $0.parameter() }
    #expect(result.value == nil)
  }

  @Test(
    arguments: [
      ("a", ["a"]), ("a, b", ["a", " b"]), (",a,,", ["", "a", "", ""]), (#"a="1,2",b"#, [#"a="1,2""#, "b"]),
      (#"a="\",",b"#, [#"a="\",""#, "b"]), (#"a="1,2"#, [#"a="1,2"#]), ("", [""]),
    ] as [(String, [Substring])])
  func commaInsideQuotesDoesNotSeparate(list: String, elements: [Substring]) {
    #expect(FieldCursor.elements(of: list[...]) == elements)
  }

  @Test(
    arguments: [("a", ["a"]), (" a ,,\tb, ", ["a", "b"]), (#""a,b""#, [#""a"#, #"b""#]), ("", []), (" , ", [])] as [(String, [String])])
  func listsOfTokensHaveNoEmptyElements(list: String, tokens: [String]) {
    #expect(FieldCursor.tokens(of: list) == tokens)
  }

  @Test func separatorsAreReadWithTheSpaceAroundThem() {
    let result = read(", ,a ,b") { cursor in
      [
        cursor.skipSeparators(), cursor.token() == "a", cursor.isAtElementEnd, cursor.skipSpace(), cursor.isAtElementEnd,
        cursor.skipSeparators(), cursor.skipSeparators(), cursor.token() == "b", cursor.isAtElementEnd,
      ]
    }
    #expect(result.value == [true, true, false, true, true, true, false, true, true])
    #expect(result.rest.isEmpty)
  }
}
