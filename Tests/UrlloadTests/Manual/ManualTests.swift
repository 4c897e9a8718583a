import ChildProcesses
import Foundation
import Testing

@testable import urlload

/// What is made of the tables of options besides the parser.
@Suite(.timeLimit(.minutes(10))) struct ManualTests {
  @Test func manualPageHasEveryOptionAndExitCode() {
    let text = ManualPage.text(version: "1.2.3")
    #expect(text.hasPrefix(".TH URLLOAD 1"))
    for entry in LoadTable.groups.flatMap(\.entries) {
      #expect(text.contains("\\-\\-\(entry.name.replacing("-", with: "\\-"))"), "\(entry.name)")
    }
    for status in ExitStatus.allCases { #expect(text.contains(".B \(status.rawValue)\n")) }
  }

  @Test func helpHasAFirstPageAndTheRest() async throws {
    let first = try await Tool().run("--help").text
    #expect(first.contains("--output") && !first.contains("--netrc-file"))
    #expect(first.split(separator: "\n").count < 50)
    let all = try await Tool().run("--help", "all").text
    #expect(all.contains("--netrc-file") && all.contains("--doh-url"))
    let network = try await Tool().run("--help", "network").text
    #expect(network.contains("--doh-url") && !network.contains("--netrc-file"))
  }

  /// What bash offers behind these words.
  private func offered(_ words: String...) async throws -> [String] {
    let script = try await Tool().run("manual", "bash").text
    let list = words.map { "'\($0)'" }.joined(separator: " ")
    let completion =
      "complete() { :; }\n\(script)\nCOMP_WORDS=(urlload \(list)); COMP_CWORD=\(words.count); _urlload; printf '%s\\n' \"${COMPREPLY[@]}\""
    let output = try await ChildProcess.output(of: "/bin/bash", ["-c", completion], in: URL(filePath: "/etc"))
    return String(decoding: output, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash"), "bash isn't installed"))
  func bashCompletesCommandsOptionsValuesAndFiles() async throws {
    #expect(try await offered("ca") == ["cache"])
    #expect(try await offered("--max-t") == ["--max-time"])
    #expect(try await offered("--tls-max", "1.2") == ["1.2"])
    #expect(try await offered("-T", "hosts").contains("hosts"))
    #expect(try await offered("cache", "s") == ["show"])
    #expect(try await offered("-m", "") == [])
  }

  @Test func otherShellsHaveTheirs() async throws {
    let zsh = try await Tool().run("manual", "zsh").text
    #expect(zsh.hasPrefix("#compdef urlload\n") && zsh.contains("'*--cacert["))
    let fish = try await Tool().run("manual", "fish").text
    #expect(fish.contains("-l cacert -r -F"))
    #expect(try await Tool().run("manual").status == 64)
  }
}
