import Crypto
import Foundation
import Testing
import URLLoadingTestKit

@testable import urlload

/// `--checksum-file`.
@Suite(.timeLimit(.minutes(10))) struct ChecksumFileTests {
  private static let sha256 = String(repeating: "ab", count: 32)
  private static let other = String(repeating: "cd", count: 32)
  private static let md5 = String(repeating: "0f", count: 16)

  @Test(arguments: [
    ("\(sha256)  file", "file"), ("\(sha256) *file", "file"), ("SHA256 (file) = \(sha256)", "file"),
    ("\(sha256)  with space (1).txt", "with space (1).txt"), ("SHA256 (a (b) = c) = \(sha256)", "a (b) = c"),
    ("\(sha256)  ./folder/file", "file"), ("\\\(sha256)  back\\\\slash\\nline", "back\\slash\nline"),
    ("\(sha256.uppercased())  file\r\n", "file"), ("# a comment\n\n\(sha256)  file", "file"), ("\(md5)  file\n\(sha256)  file", "file"),
  ]) func linesOfTheFile(_ text: String, _ name: String) {
    #expect(ChecksumFile(text: text).checksum([name]) == Checksum("sha256:\(ChecksumFileTests.sha256)"))
  }

  @Test(arguments: ["", "\(sha256)", "\(sha256) file", "\(sha256)x  file", "SHA256 (file) = \(md5)", "zz  file"])
  func whatIsNoLineIsLeftOut(_ text: String) {
    #expect(ChecksumFile(text: text).checksum(["file"]) == nil)
  }

  @Test func filesOfOneNameInSeveralFoldersAreNotMixedUp() {
    let file = ChecksumFile(text: "\(ChecksumFileTests.sha256)  a/file\n\(ChecksumFileTests.other)  b/file\n")
    #expect(file.checksum(["file"]) == nil)
    #expect(file.checksum(["a/file", "file"]) == Checksum("sha256:\(ChecksumFileTests.sha256)"))
  }

  @Test func severalBodiesAreCheckedByOneFile() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let lines = [1000, 2000].map { count in
          let digest = SHA256.hash(data: ResumeTests.pattern(count)).map { String(format: "%02x", $0) }.joined()
          return "\(digest)  \(count)\n"
        }
        let sums = directory.appending(path: "SHA256SUMS")
        try Data(lines.joined().utf8).write(to: sums)
        let urls = ["/range/1000", "/range/2000"].map { server.url($0).absoluteString }
        let good = try await tool.run(list: ["-s", "-S", "--checksum-file", "SHA256SUMS", "-Z", "-O"] + urls)
        #expect(good.status == 0, "\(good.errors)")
        try Data((lines[0] + lines[0].replacing("1000\n", with: "2000\n")).utf8).write(to: sums)
        let bad = try await tool.run(list: ["-s", "-S", "--checksum-file", "SHA256SUMS", "-O"] + urls)
        #expect(bad.status == 110 && bad.errors.contains("2000.mismatch"), "\(bad.errors)")
        try Data(lines[0].utf8).write(to: sums)
        let missing = try await tool.run(list: ["-s", "-S", "--checksum-file", "SHA256SUMS", "-o", "new", urls[1]])
        #expect(missing.status == 110 && missing.errors.contains("has no digest for 2000"), "\(missing.errors)")
        #expect(!FileManager.default.fileExists(atPath: directory.appending(path: "new").path))
        #expect(try await tool.run("--checksum-file", "nowhere", urls[0]).status == 26)
      }
    }
  }
}
