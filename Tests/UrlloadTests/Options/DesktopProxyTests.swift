import Foundation
import Testing
import URLLoadingTestKit

/// The settings that a desktop's user has made, in a process that believes to run on that desktop.
@Suite(.timeLimit(.minutes(10))) struct DesktopProxyTests {
  private static let hasGSettings =
    ["/usr/bin/gsettings", "/usr/share/glib-2.0/schemas/org.gnome.system.proxy.gschema.xml"].allSatisfy {
      FileManager.default.fileExists(atPath: $0)
    }

  /// Loads from a server that only a proxy can find, with these files in the user's folder of settings.
  private func load(
    on desktop: String, _ environment: [String: String] = [:], files: (TestProxy) -> [String: String]
  ) async throws -> (Tool.Outcome, [TestProxy.Connection]) {
    try await withStandardServer { server in
      try await TestProxy.with { proxy in
        try await Tool.withDirectory { tool, folder in
          for (name, content) in files(proxy) {
            let file = folder.appending(path: name)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
          }
          var variables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].reduce(into: [:]) { $0[$1] = "" }
          variables["XDG_CURRENT_DESKTOP"] = desktop
          variables["XDG_CONFIG_HOME"] = folder.path
          variables["GSETTINGS_BACKEND"] = "keyfile"
          let url = server.url("/bytes/5", host: "server.test").absoluteString
          return (try await tool.run(url, environment: variables.merging(environment) { $1 }), proxy.connections)
        }
      }
    }
  }

  private func gnome(_ port: Int) -> [String: String] {
    [
      "glib-2.0/settings/keyfile":
        "[system/proxy]\nmode='manual'\nignore-hosts=['other.test']\n\n[system/proxy/http]\nhost='127.0.0.1'\nport=\(port)\n"
    ]
  }

  @Test(.enabled(if: hasGSettings, "gsettings with GNOME's schemas isn't installed"))
  func gnomesProxyIsUsed() async throws {
    let (outcome, connections) = try await load(on: "ubuntu:GNOME") { gnome($0.port) }
    #expect(outcome.text == "abcde" && outcome.status == 0)
    #expect(connections.map(\.kind) == [.forward])
  }

  @Test(.enabled(if: hasGSettings, "gsettings with GNOME's schemas isn't installed"))
  func environmentStandsAboveTheDesktop() async throws {
    let (outcome, connections) = try await load(on: "GNOME", ["http_proxy": "http://127.0.0.1:1"]) { gnome($0.port) }
    #expect(outcome.status != 0)
    #expect(connections.isEmpty)
  }

  @Test(.enabled(if: hasGSettings, "gsettings with GNOME's schemas isn't installed"))
  func programsWithoutADesktopDoNotAskIt() async throws {
    let (outcome, connections) = try await load(on: "sway") { gnome($0.port) }
    #expect(outcome.status != 0)
    #expect(connections.isEmpty)
  }

  @Test func kdesProxyIsUsed() async throws {
    let (outcome, connections) = try await load(on: "KDE") {
      ["kioslaverc": "[Proxy Settings]\nProxyType=1\nhttpProxy=http://127.0.0.1 \($0.port)\nNoProxyFor=other.test\n"]
    }
    #expect(outcome.text == "abcde" && outcome.status == 0)
    #expect(connections.map(\.kind) == [.forward])
  }

  @Test func discoveryThatIsAskedForFailsAndSaysSo() async throws {
    let (outcome, connections) = try await load(on: "KDE") { _ in ["kioslaverc": "[Proxy Settings]\nProxyType=3\n"] }
    #expect(outcome.status != 0)
    #expect(outcome.errors.contains("automatic discovery"))
    #expect(connections.isEmpty)
  }
}
