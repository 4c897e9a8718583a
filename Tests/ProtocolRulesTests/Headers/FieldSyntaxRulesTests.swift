import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct FieldSyntaxRulesTests {
  @Test func tokenCharactersAreThoseOfRFC9110() {
    let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)
    for byte in UInt8.min...UInt8.max { #expect(FieldSyntaxRules.isTokenByte(byte) == allowed.contains(byte), "byte \(byte)") }
    #expect(FieldSyntaxRules.isToken("X-Name"))
    #expect(!FieldSyntaxRules.isToken(""))
  }

  @Test(arguments: ["", "X Y", "X:", ":path", "X\r\nY", "X\n", "X\0", "Ü", "X\t", "(x)", "X\u{7F}"])
  func impossibleNamesAreRefused(name: String) {
    let error = #expect(throws: LoadError.self) { try FieldSyntaxRules.checkField(name: name, value: "secret") }
    #expect(error?.kind == .badURL)
    #expect(error?.phase == .send)
    #expect(error?.message.contains("secret") == false)
    #expect(error?.message.utf8.contains { $0 < 0x20 } == false)
  }

  @Test(arguments: ["a\r\nX: y", "a\nb", "a\rb", "a\0b", "\n"])
  func valuesThatEndTheLineAreRefused(value: String) {
    let error = #expect(throws: LoadError.self) { try FieldSyntaxRules.checkField(name: "X-Name", value: value) }
    #expect(error?.message.contains("X-Name") == true)
    #expect(error?.message.contains(value) == false)
  }

  @Test(arguments: ["", "a b", "ü", "a\tb", "\u{1}", "\"q\""])
  func otherValuesPass(value: String) throws {
    try FieldSyntaxRules.checkField(name: "X", value: value)
  }

  @Test(arguments: ["", "GET ", "GET /x HTTP/1.1\r\nX: y\r\n\r\n", "G\u{0}T", "CONNECT"])
  func impossibleMethodsAreRefused(method: String) {
    #expect(throws: LoadError.self) { try MethodRules.check(method) }
  }

  @Test(arguments: ["GET", "patch", "M-SEARCH", "connect"])
  func methodsThatAreTokensPass(method: String) throws {
    try MethodRules.check(method)
  }

  @Test func requestIsCheckedWhole() throws {
    var request = LoadRequest(url: URL(string: "http://h/"))
    try FieldSyntaxRules.check(request)
    request.mutate { $0.headers.add("X", "a\nb") }
    #expect(throws: LoadError.self) { try FieldSyntaxRules.check(request) }
    request.mutate {
      $0.headers = HeaderFields()
      $0.method = "A B"
    }
    #expect(throws: LoadError.self) { try FieldSyntaxRules.check(request) }
  }

  @Test(
    arguments: [
      ("0", 0), ("007", 7), ("9223372036854775807", Int64.max), ("9223372036854775808", nil), ("99999999999999999999", nil), ("", nil),
      ("-1", nil), ("+1", nil), (" 1", nil), ("1 ", nil), ("0x1", nil), ("1e3", nil), ("١", nil),
    ] as [(String, Int64?)])
  func decimalTakesDigitsOnly(text: String, expected: Int64?) {
    #expect(FieldSyntaxRules.decimal(text.utf8) == expected)
  }

  @Test(arguments: [("/a?b", true), ("*", true), ("", false), ("/a b", false), ("/a\r\nb", false), ("/ü", false)])
  func requestTargetHasNoSpaceOrControl(target: String, expected: Bool) {
    #expect(FieldSyntaxRules.isRequestTarget(target) == expected)
  }
}
