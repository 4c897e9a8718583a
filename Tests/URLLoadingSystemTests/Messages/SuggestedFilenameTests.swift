import Foundation
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct SuggestedFilenameTests {
  private func name(_ address: String, type: String? = nil, disposition: String? = nil) throws -> String? {
    let url = try #require(URL(string: address))
    var fields: [String: String] = [:]
    fields["Content-Type"] = type
    fields["Content-Disposition"] = disposition
    return HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: fields)?.suggestedFilename
  }

  @Test(
    arguments: [
      ("http://h.org/dir/photo.png", nil, "photo.png"),
      ("http://h.org/dir/photo.png?size=3#top", nil, "photo.png"),
      ("a/test/name.extension", nil, "name.extension"),
      ("http://h.org/get", "application/json", "get.json"),
      ("http://h.org/index.php", "text/html", "index.php"),
      ("http://h.org/blob", "application/octet-stream", "blob"),
      ("http://h.org/", "text/html", "h.org.html"),
      ("http://h.org", nil, "h.org"),
      ("data:text/plain,a/b", "text/plain", "unknown.txt"),
      ("a://bar", nil, "bar"),
      ("http://h.org/na%2Fme%5C.txt", nil, "na_me_.txt"),
      ("http://h.org/%2E%2E%2Fx", nil, "_._x"),
    ] as [(String, String?, String)])
  func urlGivesTheName(address: String, type: String?, expected: String) throws {
    #expect(try name(address, type: type) == expected)
  }

  @Test(arguments: [
    ("attachment; filename=\"report.pdf\"", "report.pdf"),
    ("attachment; filename=plain name.txt", "plain name.txt"),
    ("inline; filename=a.txt; filename*=UTF-8''%e2%82%ac%20rates.txt", "€ rates.txt"),
    ("filename=bare.txt", "bare.txt"),
    ("attachment; filename=\"/a/b/name\"", "_a_b_name"),
    ("attachment; filename=\"a/../b/name\"", "a_.._b_name"),
    ("attachment; filename=\"..\\\\..\\\\evil.txt\"", "_._.._evil.txt"),
    ("attachment; filename=\".bashrc\"", "_bashrc"),
    ("attachment; filename=\"..\"", "u"),
    ("attachment; filename=\"\"", "u"),
    ("attachment", "u"),
    ("attachment; filename=\"a\u{0}b\u{7}\u{85}.txt\"", "a_b__.txt"),
    ("attachment; filename=\"x\u{202E}gpj.exe\"", "x_gpj.exe"),
  ])
  func dispositionGivesTheNameMadeSafe(disposition: String, expected: String) throws {
    #expect(try name("http://h.org/u", disposition: disposition) == expected)
  }

  @Test func dispositionNameWithoutExtensionGetsOne() throws {
    #expect(try name("http://h.org/u", type: "image/png", disposition: "inline; filename=shot") == "shot.png")
  }

  @Test func longNamesAreCutToWhatFileSystemsTake() throws {
    let long = String(repeating: "ä", count: 400)
    let cut = try #require(try name("http://h.org/u", type: "text/plain", disposition: "inline; filename=\(long)"))
    #expect(cut.utf8.count <= 255)
    #expect(cut.hasPrefix("ääää"))
    #expect(cut.hasSuffix("ä.txt"))
  }
}
