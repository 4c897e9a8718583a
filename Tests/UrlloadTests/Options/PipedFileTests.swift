import Foundation
import Testing
import URLLoadingTestKit

/// Options that name a file, and are given a pipe, as by the shell's <(…), or a device.
@Suite(.timeLimit(.minutes(10))) struct PipedFileTests {
  /// Runs `body` with a pipe of the name "pipe" in the tool's folder, from which `content` is read once.
  private static func withPipe<Result>(_ content: Data, _ body: (Tool, URL) async throws -> Result) async throws -> Result {
    try await Tool.withDirectory { tool, directory in
      let path = directory.appending(path: "pipe").path
      try #require(mkfifo(path, 0o600) == 0)
      let (ends, ending) = AsyncStream.makeStream(of: Void.self)
      Thread.detachNewThread {
        let pipe = open(path, O_WRONLY | O_CLOEXEC)
        content.withUnsafeBytes { _ = write(pipe, $0.baseAddress, $0.count) }
        close(pipe)
        ending.finish()
      }
      let result = try await body(tool, directory)
      // Lets a writer go that had no reader.
      let reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
      for await _ in ends {}
      close(reader)
      return result
    }
  }

  @Test(arguments: [
    (["-H", "@pipe"], "X-Piped: yes\n", "X-Piped", "yes"), (["-K", "pipe"], "header = \"X-Piped: yes\"\n", "X-Piped", "yes"),
    (["-b", "pipe"], "127.0.0.1\tFALSE\t/\tFALSE\t0\tpiped\tyes\n", "Cookie", "piped=yes"),
    (["--basic", "--netrc-file", "pipe"], "machine 127.0.0.1 login me password pw", "Authorization", "Basic bWU6cHc="),
  ]) func pipesAreReadLikeFiles(arguments: [String], content: String, field: String, value: String) async throws {
    try await withStandardServer { server in
      let outcome = try await Self.withPipe(Data(content.utf8)) { tool, _ in
        try await tool.run(list: ["-s", "-S"] + arguments + [server.url("/get").absoluteString])
      }
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.headers[field] == value)
    }
  }

  @Test func pipeHasURLs() async throws {
    try await withStandardServer { server in
      let list = "\(server.url("/bytes/3").absoluteString)\n\(server.url("/bytes/2").absoluteString)\n"
      let outcome = try await Self.withPipe(Data(list.utf8)) { tool, _ in try await tool.run("--input-file", "pipe") }
      #expect((outcome.status, outcome.text) == (0, "abcab"), "\(outcome.errors)")
    }
  }

  @Test func pipeHasTheValueOfAnItem() async throws {
    try await withStandardServer { server in
      let url = server.url("/anything").absoluteString
      let outcome = try await Self.withPipe(Data("piped".utf8)) { tool, _ in try await tool.run("-s", "POST", url, "a=@pipe") }
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.text == #"{"a": "piped"}"#)
    }
  }

  @Test(arguments: [["-F", "a=@pipe"], ["-F", "a=@pipe;filename=f"]])
  func pipeHasAFileOfAForm(arguments: [String]) async throws {
    try await withStandardServer { server in
      let url = server.url("/anything").absoluteString
      let outcome = try await Self.withPipe(Data("piped".utf8)) { tool, _ in try await tool.run(list: ["-s", "-S"] + arguments + [url]) }
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.text.contains("\r\n\r\npiped\r\n--") == true)
    }
  }

  @Test func pipeHasTheFileOfAnItem() async throws {
    try await withStandardServer { server in
      let url = server.url("/anything").absoluteString
      let outcome = try await Self.withPipe(Data("piped".utf8)) { tool, _ in try await tool.run("-s", "-S", "POST", url, "a@pipe") }
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(server.requests.last?.text.contains("\r\n\r\npiped\r\n--") == true)
    }
  }

  @Test func formatOfAPipeIsThatOfAllLoads() async throws {
    try await withStandardServer { server in
      let url = server.url("/bytes/1").absoluteString
      let outcome = try await Self.withPipe(Data("[%{http_code}]".utf8)) { tool, _ in try await tool.run("-w", "@pipe", url, url) }
      #expect((outcome.status, outcome.text) == (0, "a[200]a[200]"), "\(outcome.errors)")
    }
  }

  @Test func pipeHasTheAuthoritiesThatAreTrusted() async throws {
    let authority = try TestCertificateAuthority()
    var options = TestServer.Options.https(try authority.issue())
    options.routes = .standard
    try await TestServer.with(options) { server in
      let outcome = try await Self.withPipe(authority.pem) { tool, _ in
        try await tool.run("--cacert", "pipe", server.url("/bytes/3").absoluteString)
      }
      #expect((outcome.status, outcome.text) == (0, "abc"), "\(outcome.errors)")
    }
  }

  @Test func jarThatIsADeviceIsEmptyAndStaysOne() async throws {
    try await withStandardServer { server in
      let url = server.url("/cookies/set?flavour=oatmeal").absoluteString
      let outcome = try await Tool().run("-s", "-S", "-b", "/dev/null", "-c", "/dev/null", url)
      #expect(outcome.status == 0, "\(outcome.errors)")
      var status = stat()
      #expect(stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    }
  }

  @Test func jarThatIsAPipeIsWrittenAndStaysOne() async throws {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        let path = directory.appending(path: "pipe").path
        try #require(mkfifo(path, 0o600) == 0)
        let reader = open(path, O_RDWR | O_CLOEXEC)
        try #require(reader >= 0)
        defer { close(reader) }
        let outcome = try await tool.run("-s", "-S", "-c", "pipe", server.url("/cookies/set?flavour=oatmeal").absoluteString)
        #expect(outcome.status == 0, "\(outcome.errors)")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        guard status.st_mode & S_IFMT == S_IFIFO, outcome.status == 0 else { return }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = read(reader, &buffer, buffer.count)
        #expect(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self).contains("\tflavour\toatmeal\n"))
      }
    }
  }
}
