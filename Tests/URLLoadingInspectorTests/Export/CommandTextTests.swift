#if Inspector
  import ChildProcesses
  import Foundation
  import LoadingModel
  import Testing

  @testable import URLLoadingInspector

  @Suite struct CommandTextTests {
    @Test func curlHasTheRequest() {
      #expect(
        CommandText.curl(.sample()) == """
          curl 'https://host.example/path?a=1' \\
            -H 'Content-Type: application/json' \\
            -H 'Cookie: a=REDACTED' \\
            --data-raw '{"a":1}'
          """)
    }

    @Test func swiftHasTheRequest() {
      let text = CommandText.swift(.sample())
      #expect(text.contains(#"URL(string: "https://host.example/path?a=1")"#))
      #expect(text.contains(#"request.httpMethod = "POST""#))
      #expect(text.contains(#"Data("{\"a\":1}".utf8)"#))
    }

    /// What the shell makes of the command is what was recorded: nothing of a hostile server's or page's runs.
    @Test(arguments: ["'; touch x; '", "$(touch x)", "`touch x`", "a\nb", "\\", "!!", "*", "-o x", "é"]) func shellSeesOneWord(
      _ hostile: String
    ) async throws {
      var transfer = RecordedTransfer.sample(url: "https://h/\(hostile)")
      transfer.request.fields = HeaderFields([("X-A", hostile)])
      transfer.request.body = RecordedBody(Data(hostile.utf8))
      let script = "curl() { for word; do printf '%s\\0' \"$word\"; done; }\n" + CommandText.curl(transfer)
      let written = String(decoding: try await ChildProcess.output(of: "/bin/sh", ["-c", script]), as: UTF8.self)
      let words = written.split(separator: "\0").map(String.init)
      #expect(words == ["https://h/\(hostile)", "-H", "X-A: \(hostile)", "--data-raw", hostile])
    }

    @Test(arguments: ["https://h/?filter[name]=x", "https://h/?a={b,c}", "https://h/?a[0-9]=1"]) func bracketsAreNoPatterns(_ url: String) {
      #expect(CommandText.curl(.sample(url: url)).hasPrefix("curl '\(url)' \\\n  --globoff \\\n"))
      #expect(!CommandText.curl(.sample()).contains("--globoff"))
    }

    @Test func binaryBodiesAreMadeFromBase64() {
      var transfer = RecordedTransfer.sample()
      transfer.request.body = RecordedBody(Data([0, 255]))
      #expect(CommandText.curl(transfer).hasPrefix("printf %s 'AP8=' | base64 -d | curl "))
      #expect(CommandText.curl(transfer).hasSuffix("--data-binary @-"))
    }

    @Test func swiftLiteralsKeepWhatWouldEndThem() {
      var transfer = RecordedTransfer.sample()
      transfer.request.fields = HeaderFields([("A", "\"\\(x)\u{202E}\n")])
      #expect(CommandText.swift(transfer).contains(#""\"\\(x)\u{202e}\n""#))
    }
  }
#endif
