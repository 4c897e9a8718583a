import Foundation
import ProtocolRules
import Testing

@testable import Stores

@Suite(.timeLimit(.minutes(10))) struct SystemPublicSuffixesTests {
  static let path = "/usr/share/publicsuffix/public_suffix_list.dat"

  private static let samples = [
    ("com", true), ("example.com", false), ("co.uk", true), ("example.co.uk", false), ("uk", true), ("github.io", true),
    ("someone.github.io", false), ("ck", true), ("anything.ck", true), ("www.ck", false), ("a.anything.ck", false), ("nobody-knows", true),
    ("a.nobody-knows", false), ("xn--55qx5d.cn", true), ("kobe.jp", true), ("x.kobe.jp", true), ("city.kobe.jp", false),
  ]

  @Test(.enabled(if: FileManager.default.fileExists(atPath: path), "install the package publicsuffix to run this test"), arguments: samples)
  func listOfTheSystemIsRead(_ domain: String, _ isPublic: Bool) throws {
    let list = try #require(SystemPublicSuffixes.list(at: SystemPublicSuffixesTests.path))
    #expect(list.isPublicSuffix(domain) == isPublic)
  }

  @Test(.enabled(if: FileManager.default.fileExists(atPath: path), "install the package publicsuffix to run this test"), arguments: samples)
  func systemKnowsTheList(_ domain: String, _ isPublic: Bool) {
    #expect(SystemPublicSuffixes().isPublicSuffix(domain) == isPublic)
    #expect(SystemPublicSuffixes().isPublicSuffix(domain + ".") == isPublic)
  }

  @Test func absentListGivesNone() {
    #expect(SystemPublicSuffixes.list(at: "/nowhere/list.dat") == nil)
  }
}
