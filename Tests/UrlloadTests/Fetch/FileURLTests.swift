import Foundation
import Testing
import URLLoadingSystem

/// `file:` URLs of files whose size isn't what can be read.
@Suite(.timeLimit(.minutes(10))) struct FileURLTests {
  private static func load(_ url: URL) async throws -> (Data, URLResponse) {
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    return try await session.data(from: url)
  }

  @Test func filesOfProcAreReadToTheirEnd() async throws {
    let outcome = try await Tool().run("file:///proc/self/status")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.hasPrefix("Name:\turlload\n") && outcome.text.contains("\nThreads:"))
    let (data, response) = try await FileURLTests.load(URL(filePath: "/proc/self/status"))
    #expect(String(decoding: data, as: UTF8.self).contains("\nThreads:"))
    #expect(response.expectedContentLength == -1)
  }

  private static let attribute = "/sys/class/net/lo/mtu"

  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: attribute), "there is no /sys"))
  func filesOfSysEndWhereTheirContentDoes() async throws {
    let outcome = try await Tool().run("file://\(Self.attribute)")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.wholeMatch(of: /[0-9]+\n/) != nil)
  }

  @Test func firstOfSeveralRangesIsLoaded() async throws {
    try await Tool.withDirectory { tool, directory in
      try Data("abcdef".utf8).write(to: directory.appending(path: "f"))
      for (range, text) in [("1-2,4-4", "bc"), ("-2,0-0", "ef"), ("3-", "def")] {
        #expect(try await tool.run("-r", range, "file://\(directory.path)/f").text == text)
      }
    }
  }

  @Test func emptyFilesAreKnownToBeEmpty() async throws {
    try await Tool.withDirectory { _, directory in
      let file = directory.appending(path: "empty")
      try Data().write(to: file)
      let (data, response) = try await FileURLTests.load(file)
      #expect(data.isEmpty)
      #expect(response.expectedContentLength == 0)
    }
  }

  /// Their size, that of a page, would be sent as the length.
  @Test(.enabled(if: FileManager.default.isReadableFile(atPath: attribute), "there is no /sys"))
  func filesOfSysAreSentWhole() async throws {
    let content = String(decoding: try #require(try FileHandle(forReadingAtPath: Self.attribute)?.readToEnd()), as: UTF8.self)
    try await withStandardServer { server in
      for option in ["-T", "--data-binary"] {
        let outcome = try await Tool().run(option, (option == "-T" ? "" : "@") + Self.attribute, server.url("/anything/x").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.last?.text == content)
      }
      let form = try await Tool().run("-F", "a=@\(Self.attribute)", server.url("/anything/x").absoluteString)
      #expect(form.status == 0, "\(form.errors)")
      #expect(server.requests.last?.text.contains("\r\n\r\n\(content)\r\n--") == true)
    }
  }

  /// Their size of 0 would be sent as the length.
  @Test func filesOfProcAreSentWhole() async throws {
    try await withStandardServer { server in
      for option in ["-T", "--data-binary"] {
        let file = (option == "-T" ? "" : "@") + "/proc/sys/kernel/ostype"
        let outcome = try await Tool().run(option, file, server.url("/anything/x").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(server.requests.last?.text == "Linux\n")
      }
    }
  }
}
