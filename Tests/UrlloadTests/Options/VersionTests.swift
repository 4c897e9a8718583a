import Foundation
import Testing
import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct VersionTests {
  @Test func toolChangelogAndLibraryHaveOneVersion() async throws {
    let version = LibraryVersion.current
    #expect(version.wholeMatch(of: /\d+\.\d+\.\d+/) != nil)
    #expect(try await Tool().run("--version").text == "urlload \(version)\n")
    var root = URL(filePath: #filePath)
    for _ in 0..<4 { root.deleteLastPathComponent() }
    let headings = try String(contentsOf: root.appending(path: "CHANGELOG.md"), encoding: .utf8).split(separator: "\n")
      .filter { $0.hasPrefix("## ") }
    #expect(headings.first == "## Unreleased")
    #expect(headings.dropFirst().first?.hasPrefix("## \(version)") == true)
    let readme = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("from: \"\(version)\""))
  }
}
