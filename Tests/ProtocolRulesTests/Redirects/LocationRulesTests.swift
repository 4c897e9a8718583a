import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct LocationRulesTests {
  /// RFC 3986, 5.4.1 and 5.4.2, without "g:h" and "http:g", which aren't http URLs with a host, and "", which is no Location.
  @Test(arguments: [
    ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"), ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g"),
    ("?y", "http://a/b/c/d;p?y"), ("g?y", "http://a/b/c/g?y"), ("#s", "http://a/b/c/d;p?q#s"), ("g#s", "http://a/b/c/g#s"),
    ("g?y#s", "http://a/b/c/g?y#s"), (";x", "http://a/b/c/;x"), ("g;x", "http://a/b/c/g;x"), ("g;x?y#s", "http://a/b/c/g;x?y#s"),
    (".", "http://a/b/c/"), ("./", "http://a/b/c/"), ("..", "http://a/b/"), ("../", "http://a/b/"), ("../g", "http://a/b/g"),
    ("../..", "http://a/"), ("../../", "http://a/"), ("../../g", "http://a/g"), ("../../../g", "http://a/g"),
    ("../../../../g", "http://a/g"), ("/./g", "http://a/g"), ("/../g", "http://a/g"), ("g.", "http://a/b/c/g."), (".g", "http://a/b/c/.g"),
    ("g..", "http://a/b/c/g.."), ("..g", "http://a/b/c/..g"), ("./../g", "http://a/b/g"), ("./g/.", "http://a/b/c/g/"),
    ("g/./h", "http://a/b/c/g/h"), ("g/../h", "http://a/b/c/h"), ("g;x=1/./y", "http://a/b/c/g;x=1/y"), ("g;x=1/../y", "http://a/b/c/y"),
    ("g?y/./x", "http://a/b/c/g?y/./x"), ("g?y/../x", "http://a/b/c/g?y/../x"), ("g#s/./x", "http://a/b/c/g#s/./x"),
    ("g#s/../x", "http://a/b/c/g#s/../x"),
  ])
  func referencesResolveAsInRFC3986(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://a/b/c/d;p?q") == expected)
  }

  @Test(arguments: [
    ("http://h/../../a", "http://h/a"), ("//h:80/a/../b#f/../g", "http://h:80/b#f/../g"),
    ("https://h/a/./b?x/../y", "https://h/a/b?x/../y"),
    ("https://u:p@h/a%2F..%2Fb/./c//d", "https://u:p@h/a%2F..%2Fb/c//d"),
  ])
  func dotSegmentsLeaveAbsoluteReferencesToo(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://a/b") == expected)
  }

  @Test func usersAreEncodedOnce() throws {
    #expect(try resolve("https://u:p%40 q@h/%20", at: "http://h/p") == "https://u:p%40%20q@h/%20")
  }

  @Test(arguments: [
    ("/a b", "/a%20b"), ("/ü", "/%C3%BC"), ("/日本?q=日", "/%E6%97%A5%E6%9C%AC?q=%E6%97%A5"), ("/a%20b c", "/a%20b%20c"),
    ("/100%", "/100%25"), ("/a%zz%20b c", "/a%25zz%20b%20c"), ("/%4", "/%254"), ("/a|b\"<>^`{}", "/a%7Cb%22%3C%3E%5E%60%7B%7D"),
    ("/a?x[]=1", "/a?x%5B%5D=1"), ("/a#b#c", "/a#b%23c"), ("  /a \t", "/a"), ("/a?u=http://x/y?z", "/a?u=http://x/y?z"),
    ("/a:b@c", "/a:b@c"), ("/%e4%bd%a0", "/%e4%bd%a0"),
  ])
  func sloppyReferencesAreEncodedOnce(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://h/p") == "http://h" + expected)
  }

  @Test(arguments: [
    ("http:///host/path", "http://host/path"), ("HTTPS:////host", "https://host"), ("///host/path?q", "http://host/path?q"),
    ("http:///u@host:8/a/../b", "http://u@host:8/b"), ("/a///b", "http://h/a///b"), ("//host///p", "http://host///p"),
  ])
  func slashesBeforeTheHostAreSkippedBeyondTwo(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://h/p")?.lowercased() == expected)
  }

  @Test(arguments: [
    ("\\\\host\\path", "http://host/path"), ("/a\\b", "http://h/a/b"), ("http:\\\\host\\a?b\\c#d", "http://host/a?b%5Cc#d"),
    ("\\a", "http://h/a"), ("/\\host/p", "http://host/p"), ("https:/\\host", "https://host"),
  ])
  func backslashesMeanSlashes(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://h/p/q") == expected)
  }

  @Test(arguments: [
    ("http:/host", "http://h/host"), ("http:a", "http://h/p/a"), ("HTTP:?x", "http://h/p/q?x"), ("http:a:b", "http://h/p/a:b"),
    ("https:/host/a", "https://host/a"), ("https:host", "https://host"), ("ws:/host", "ws://host"),
  ])
  func missingSlashesMeanTheBaseOrAHost(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://h/p/q") == expected)
  }

  @Test(arguments: ["http://a%2Fb/", "http://a%3Ab/", "http://a%40b/", "http://a%00b/", "http://a%5Cb", "http://a%25b/", "http://a%7Cb/"])
  func hostThatDecodesToDelimitersIsRefused(reference: String) throws {
    #expect(try resolve(reference, at: "http://h/p") == nil)
    #expect(Target(URL(string: reference)) == nil)
  }

  @Test func slashesOfOtherSchemesStay() throws {
    #expect(try resolve("file:///etc/hosts", at: "http://h/p") == "file:///etc/hosts")
  }

  @Test func hostOutsideASCIIBecomesPunycode() throws {
    #expect(try resolve("http://bücher.example/ü%20 x", at: "http://h/") == "http://xn--bcher-kva.example/%C3%BC%20%20x")
  }

  @Test(arguments: [
    ("/b", "http://h/b#frag"), ("/b#own", "http://h/b#own"), ("/b#", "http://h/b#"), ("https://i/b?q", "https://i/b?q#frag"),
  ])
  func missingFragmentIsInherited(reference: String, expected: String) throws {
    #expect(try resolve(reference, at: "http://h/a#frag") == expected)
  }

  @Test func addressLiteralsAndPortsSurvive() throws {
    #expect(try resolve("http://[::1]:8080/x", at: "http://h/") == "http://[::1]:8080/x")
    #expect(try resolve("?q", at: "http://127.0.0.1:81") == "http://127.0.0.1:81?q")
  }

  @Test func relativeBaseIsMadeAbsolute() throws {
    let root = try #require(URL(string: "http://h/a/"))
    let base = try #require(URL(string: "b/c", relativeTo: root))
    #expect(LocationRules.resolve("d", at: base)?.absoluteString == "http://h/a/b/d")
  }

  private func resolve(_ reference: String, at base: String) throws -> String? {
    LocationRules.resolve(reference, at: try #require(URL(string: base)))?.absoluteString
  }
}
