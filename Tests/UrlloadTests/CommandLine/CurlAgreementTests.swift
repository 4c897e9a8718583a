import ChildProcesses
import Foundation
import Testing
import URLLoadingTestKit

/// The same line for curl and for the tool: the requests that reach the server agree.
@Suite(.timeLimit(.minutes(10)), .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/curl"), "curl isn't installed"))
struct CurlAgreementTests {
  /// What of a request must agree: not the fields in which tools name themselves.
  private struct Shown: Equatable {
    var method: String
    var path: String
    var fields: [String: String]
    var body: String
  }

  private static let compared = [
    "Content-Type", "Range", "Referer", "Authorization", "X-A", "X-B", "Cookie", "Content-Length", "User-Agent", "Accept",
  ]

  private static func shown(_ request: RecordedRequest, _ options: [String]) -> Shown {
    var fields: [String: String] = [:]
    for name in compared { fields[name] = request.headers[name] }
    if !options.contains("-A") { fields["User-Agent"] = nil }
    var body = request.text
    // Boundaries are chosen at random.
    if let boundary = fields["Content-Type"]?.firstMatch(of: /boundary=(.*)/)?.1 {
      body = body.replacing(boundary, with: "BOUNDARY")
      fields["Content-Type"] = "multipart/form-data"
      fields["Content-Length"] = nil
    }
    return Shown(method: request.method, path: request.uri, fields: fields, body: body)
  }

  private func requests(_ options: [String], files: [String: String]) async throws -> (curl: [Shown], tool: [Shown]) {
    try await withStandardServer { server in
      try await Tool.withDirectory { tool, directory in
        for (name, content) in files { try Data(content.utf8).write(to: directory.appending(path: name)) }
        let url = server.url("/anything/x").absoluteString
        let words = options.map { $0.replacing("URL", with: url) } + (options.contains { $0.hasPrefix("URL") } ? [] : [url])
        let ending = try await ChildProcess("/usr/bin/curl", ["-q", "-s", "-L"] + words, in: directory).end()
        let curl = server.requests.map { Self.shown($0, options) }
        let outcome = try await tool.run(list: ["-q", "-s", "-S"] + words)
        #expect(ending == .exit(outcome.status), "\(options): \(outcome.errors)")
        return (curl, server.requests.dropFirst(curl.count).map { Self.shown($0, options) })
      }
    }
  }

  @Test(arguments: [
    ["-d", "a=1", "--data-raw", "@b", "--data-urlencode", "c=d e&/ü", "--data-binary", "@f"],
    ["--data-urlencode", "a b"], ["--data-urlencode", "=a=b c"], ["--data-urlencode", "@f"], ["--data-urlencode", "n@f"],
    ["--data-urlencode", "a@f=b c"], ["--url-query", "a@f=b@f"],
    ["-d", "@f"], ["--data-ascii", "x\ny"], ["--data-binary", "@f"], ["--json", "{}"], ["--json", "{", "--json", "}"],
    ["-G", "-d", "a=1", "-d", "b=2"], ["-G", "--data-urlencode", "q=a b"], ["-I", "-G", "-d", "a=1"], ["-G", "-d", "a", "URL?x=y"],
    ["--url-query", "a=b c", "URL?x=y"], ["--url-query", "+a=b%20c"],
    ["-F", "a=b", "-F", "c=@f"], ["-F", "a=<f"], ["-F", "a=b;type=text/x"], ["-F", "a=@f;type=text/y;filename=z w"],
    ["-F", "a= b "], ["-F", "a=  "], ["-F", "a=b ;type=text/x "], ["-F", "a=\" b \" ; type=text/x; y=z"], ["-F", "a=@ f ; filename= z "],
    ["--form-string", "a=@b;c"], ["--form-string", "a= b "], ["-G", "-d", ""], ["-G", "-d", "", "URL?a"], ["-d", "@n"],
    ["--data-binary", "@n"],
    ["-r", "0-4"], ["-r", "5-"], ["-r", "-5"], ["-e", "http://r.example/"], ["-A", "agent"], ["-H", "X-A: b", "-H", "X-B;"],
    ["-H", "Accept:text/x"], ["-X", "PATCH", "-d", "x"], ["-b", "n=v"], ["--oauth2-bearer", "t0ken"], ["-T", "f", "URL/"], ["-I"],
    ["URL{1,2}/[1-2]"], ["--data", ""],
  ]) func requestsAgree(options: [String]) async throws {
    let (curl, tool) = try await requests(options, files: ["f": "line 1\nline 2 & \u{E4}\n", "n": "ab\0\r\n"])
    #expect(!curl.isEmpty)
    #expect(curl == tool, "\(options)")
  }

  /// Exit codes and what is left in the directory.
  @Test(arguments: [
    ["-f", "URL/status/404"], ["--fail-with-body", "URL/status/500"], ["--max-redirs", "2", "URL/redirect/3"],
    ["--max-redirs", "3", "URL/redirect/3"],
    ["--max-filesize", "10", "URL/bytes/20"], ["--max-filesize", "20", "URL/bytes/20"], ["-m", "0.2", "URL/delay/5"],
    ["-O", "--output-dir", "d", "--create-dirs", "URL/bytes/7"], ["-o", "e/f/g", "--create-dirs", "URL/bytes/7"],
    ["-o", "x/y/../o", "--create-dirs", "URL/bytes/7"], ["-o", "there/o", "--create-dirs", "URL/bytes/7"],
    ["-o", "o", "--create-dirs", "URL/bytes/7"],
    ["-o", "e/f", "URL/bytes/7"],
    ["--no-clobber", "-o", "there", "URL/bytes/7"], ["-o", "#1", "URL/bytes/[1-3]"], ["-Z", "-o", "p#1", "URL/bytes/{4,5}"],
    ["--remove-on-error", "-o", "x", "-f", "URL/status/404"], ["URL/a[", "-o", "x"], ["http://127.0.0.1:1/"],
  ]) func outcomesAgree(options: [String]) async throws {
    try await withStandardServer { server in
      let base = server.url("/").absoluteString.dropLast()
      let words = options.map { $0.replacing("URL", with: base) }
      var results: [(ChildProcess.Ending, [String])] = []
      for isCurl in [true, false] {
        try await Tool.withDirectory { tool, directory in
          try Data("old".utf8).write(to: directory.appending(path: "there"))
          let ending =
            isCurl
            ? try await ChildProcess("/usr/bin/curl", ["-q", "-s", "-L"] + words, in: directory).end()
            : try await .exit(tool.run(list: ["-q", "-s"] + words).status)
          let root = directory.path + "/"
          var files: [String] = []
          for file in FileManager.default.enumerator(atPath: root)?.compactMap({ $0 as? String }) ?? [] {
            guard let content = FileManager.default.contents(atPath: root + file) else { continue }
            files.append("\(file): \(content.count)")
          }
          results.append((ending, files.sorted()))
        }
      }
      #expect(results[0].0 == results[1].0, "\(options)")
      #expect(results[0].1 == results[1].1, "\(options)")
    }
  }
}
