import Foundation
import LoadingModel
import Testing

@Suite struct ProcessEnvironmentTests {
  @Test func variablesAreThoseOfTheProcess() {
    #expect(!ProcessEnvironment.isPrivileged)
    #expect(ProcessEnvironment.variables == ProcessInfo.processInfo.environment)
    #expect(ProcessEnvironment.value("PATH") == ProcessInfo.processInfo.environment["PATH"])
    #expect(ProcessEnvironment.value("NOT_SET_ANYWHERE") == nil)
  }

  /// A second place would be one that privileged programs aren't kept from.
  @Test func environmentIsReadInOnePlace() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Sources").standardizedFileURL
    let files = try #require(FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where ["swift", "c", "h"].contains(file.pathExtension) {
      guard file.lastPathComponent != "ProcessEnvironment.swift" else { continue }
      count += 1
      let text = try String(contentsOf: file, encoding: .utf8).replacing("secure_getenv(", with: "")
      for reading in ["processInfo.environment", "getenv("] {
        #expect(!text.contains(reading), "\(file.path) reads the environment by itself")
      }
    }
    #expect(count > 500)
  }
}
