import Foundation
import Testing

@testable import urlload

@Suite struct URLIdentityTests {
  @Test(arguments: [
    ("https://alice@h/a", "https://bob@h/a"), ("https://alice:x@h/a", "https://bob:x@h/a"), ("https://alice@h/a", "https://h/a"),
    ("https://h/a", "https://h/b"),
  ]) func usersAndURLsDiffer(_ left: String, _ right: String) {
    let (left, right) = (URLIdentity(left), URLIdentity(right))
    #expect(left.key != right.key)
    #expect(!left.matches(masked: right.masked, key: right.key))
    #expect(left.matches(masked: left.masked, key: left.key))
  }

  @Test func passwordsAreNoPartOfIt() {
    #expect(URLIdentity("https://alice:x@h/a:b@c").key == URLIdentity("https://alice:y@h/a:b@c").key)
    #expect(URLIdentity("https://alice:x@h/").key == URLIdentity("https://alice@h/").key)
  }

  @Test func userIsTheSameHoweverHeIsNamed() {
    let inURL = URLIdentity("https://al%40ice@h/a")
    #expect(AskingUser.named(in: "Basic " + Data("al@ice:x:y".utf8).base64EncodedString()) == "al@ice")
    for url in ["https://h/a", "https://bob:z@h/a", "https://al%40ice:z@h/a"] {
      #expect(URLIdentity(url, user: "al@ice").key == inURL.key)
    }
    #expect(URLIdentity("https://h/a@b", user: "bob").key == URLIdentity("https://bob@h/a@b").key)
    #expect(URLIdentity("https://h/a", user: "bob").key != inURL.key)
  }

  @Test(arguments: ["Bearer one", "Basic not-base64", "Basic " + Data(":one".utf8).base64EncodedString(), "Digest username=\"one\""])
  func otherCredentialsNameNoUser(value: String) { #expect(AskingUser.named(in: value) == nil) }

  @Test func recordsOfOlderVersionsMatchWhereThereIsNoUser() {
    #expect(URLIdentity("https://h/").matches(masked: "https://h/", key: nil))
    #expect(!URLIdentity("https://h/").matches(masked: "https://h/a", key: nil))
    #expect(!URLIdentity("https://bob@h/").matches(masked: "https://***@h/", key: nil))
  }

  @Test(arguments: [("bob", false), ("alice", true)]) func partOfOneUserIsNotThatOfAnother(user: String, isKnown: Bool) async throws {
    try await Tool.withDirectory { _, directory in
      let path = directory.appending(path: "out").path
      let first = URLIdentity("https://alice@h/out")
      try Data("a".utf8).write(to: directory.appending(path: "out.part"))
      try PartRecord(url: first.masked, key: first.key, validator: "\"v\"").save(path + ".part.json")
      let again = try PartFile(for: path, url: URLIdentity("https://\(user)@h/out"))
      defer { again.leave() }
      #expect((again.record != nil) == isKnown)
    }
  }
}
