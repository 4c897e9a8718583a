import Foundation
import ProtocolRules
import Testing

struct BasicAuthenticationTests {
  @Test func matchesTheExamplesOfTheRFC() {
    // RFC 7617, 2 and 2.1.
    #expect(BasicAuthentication.authorization(user: "Aladdin", password: "open sesame") == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    #expect(BasicAuthentication.authorization(user: "test", password: "123£") == "Basic dGVzdDoxMjPCow==")
  }

  @Test func emptyPartsAreSent() {
    #expect(BasicAuthentication.authorization(user: "", password: "") == "Basic Og==")
  }

  @Test(arguments: [("a:b", "p"), ("a", "p\r\nX: y"), ("a\0", "p"), ("a\u{7F}", "p")])
  func whatTheSchemeCannotCarryIsRefused(_ user: String, _ password: String) {
    #expect(BasicAuthentication.authorization(user: user, password: password) == nil)
  }

  @Test func colonsBelongToThePassword() {
    #expect(BasicAuthentication.authorization(user: "a", password: "b:c") == "Basic \(Data("a:b:c".utf8).base64EncodedString())")
  }

  @Test(arguments: [
    ("/docs/index.html", ["/docs/", "/docs/a/b", "/docs/?q"], ["/doc", "/", "/docsx/", "/docs"]),
    ("/", ["/", "/anything"], []),
    ("/a/b?c/d/e", ["/a/x"], ["/b"]),
    ("/top", ["/", "/other/x"], []),
  ])
  func scopeIsTheFolder(_ uri: String, _ inside: [String], _ outside: [String]) {
    let scope = AuthenticationScope.basic(uri)
    for path in inside { #expect(scope.depth(of: path) != nil, "\(path)") }
    for path in outside { #expect(scope.depth(of: path) == nil, "\(path)") }
  }

  @Test func scopeGrowsWithEachFolder() {
    var scope = AuthenticationScope.basic("/a/b/c")
    scope.widen(to: .basic("/d/e"))
    #expect(scope.depth(of: "/a/b/x") == 5)
    #expect(scope.depth(of: "/d/x") == 3)
    #expect(scope.depth(of: "/a/x") == nil)
    scope.widen(to: .basic("/a/"))
    #expect(scope == .paths(["/d/", "/a/"]))
    scope.widen(to: .origin)
    #expect(scope == .origin)
  }
}
