import Foundation
import Testing
import URLLoadingTestKit

/// Which routes the tool takes to servers, and which version of HTTP.
@Suite(.timeLimit(.minutes(10))) struct NetworkOptionTests {
  private static let everywhere = ["http_proxy": "", "https_proxy": "", "all_proxy": "", "no_proxy": "", "NO_PROXY": ""]

  /// The server is known to the proxy alone, by a name.
  private func withProxy(_ body: @Sendable (Tool, TestServer, TestProxy, String) async throws -> Void) async throws {
    try await Tool.withDirectory { tool, _ async throws in
      try await withStandardServer { server async throws in
        server.route("/", reply: .text("hello"))
        try await TestProxy.with { proxy async throws in
          try await body(tool, server, proxy, server.url("/", host: "server.test").absoluteString)
        }
      }
    }
  }

  private func run(_ tool: Tool, _ arguments: [String], _ environment: [String: String] = [:]) async throws -> Tool.Outcome {
    try await tool.run(list: arguments, environment: Self.everywhere.merging(environment) { $1 })
  }

  @Test func plainURLsAreForwarded() async throws {
    try await withProxy { tool, _, proxy, url async throws in
      for option in [["--proxy", "http://127.0.0.1:\(proxy.port)"], ["-x", "127.0.0.1:\(proxy.port)"], ["-x127.0.0.1:\(proxy.port)"]] {
        let outcome = try await run(tool, option + [url])
        #expect(outcome.text == "hello", "\(outcome.errors)")
      }
      #expect(proxy.connections.map(\.kind) == [.forward, .forward, .forward])
    }
  }

  @Test func secureURLsAreTunnelled() async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(.https(authority.issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        try await TestProxy.with { proxy async throws in
          let outcome = try await run(tool, ["--cacert", "ca.pem", "-x", "127.0.0.1:\(proxy.port)", server.url("/").absoluteString])
          #expect(outcome.text == "hello", "\(outcome.errors)")
          #expect(proxy.connections.map(\.kind) == [.connect])
        }
      }
    }
  }

  @Test func proxiesOfSOCKSAreSpokenTo() async throws {
    try await withProxy { tool, server, proxy, url async throws in
      let byName = try await run(tool, ["--proxy", "socks5h://ada:lovelace@127.0.0.1:\(proxy.port)", url])
      #expect(byName.text == "hello", "\(byName.errors)")
      // Names are looked up here: only the proxy has this one.
      let byAddress = try await run(tool, ["--socks5", "127.0.0.1:\(proxy.port)", server.url("/").absoluteString])
      #expect(byAddress.text == "hello", "\(byAddress.errors)")
      #expect(try await run(tool, ["--socks5", "127.0.0.1:\(proxy.port)", url]).status == 6)
      #expect(proxy.connections.map(\.kind) == [.socks5, .socks5])
    }
  }

  @Test func listOfHostsWithoutProxyTakesTheEnvironmentsPlace() async throws {
    try await withProxy { tool, server, proxy, url async throws in
      let option = ["-x", "127.0.0.1:\(proxy.port)"]
      let direct = server.url("/").absoluteString
      #expect(try await run(tool, option + ["--noproxy", "127.0.0.0/8", direct]).text == "hello")
      #expect(try await run(tool, option + ["--noproxy", "*", direct]).text == "hello")
      #expect(try await run(tool, option + [direct], ["no_proxy": "127.0.0.1"]).text == "hello")
      #expect(proxy.connections.isEmpty)
      #expect(try await run(tool, option + ["--noproxy", "", direct], ["no_proxy": "127.0.0.1"]).text == "hello")
      #expect(try await run(tool, option + ["--noproxy", "other.test", url]).text == "hello")
      #expect(proxy.connections.count == 2)
    }
  }

  @Test func optionsStandAboveTheEnvironment() async throws {
    try await withProxy { tool, server, proxy, url async throws in
      let environment = ["http_proxy": "http://127.0.0.1:\(proxy.port)"]
      #expect(try await run(tool, [url], environment).text == "hello")
      #expect(proxy.connections.count == 1)
      #expect(try await run(tool, ["--noproxy", "server.test", url], environment).status == 6)
      #expect(try await run(tool, ["--proxy", "", url], environment).status == 6)
      #expect(try await run(tool, ["-x", "127.0.0.1:\(proxy.port)", url], ["http_proxy": "http://127.0.0.1:1"]).text == "hello")
      #expect(proxy.connections.count == 2)
    }
  }

  @Test(arguments: [
    ["--proxy", "gopher://proxy.test"], ["--proxy", "http://:99999"], ["--socks5", "http://proxy.test"], ["--socks5", ""],
    ["-x", "proxy.test", "--socks5", "proxy.test"],
  ])
  func proxyThatMakesNoSenseIsWrongUsage(_ options: [String]) async throws {
    try await Tool.withDirectory { tool, _ async throws in
      let outcome = try await tool.run(list: options + ["http://server.test/"])
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("--"))
    }
  }

  @Test func basicFieldForTheProxyIsItsLogin() async throws {
    try await Tool.withDirectory { tool, _ async throws in
      try await withStandardServer { server async throws in
        server.route("/", reply: .text("hello"))
        let field = "Basic " + Data("ada:love:lace@1".utf8).base64EncodedString()
        var options = TestProxy.Options()
        options.accepts = { $0 == field }
        try await TestProxy.with(options) { proxy async throws in
          let url = server.url("/", host: "server.test").absoluteString
          let given = ["-H", "Proxy-Authorization: \(field)"]
          let outcome = try await run(tool, given + ["-x", "127.0.0.1:\(proxy.port)", url])
          #expect(outcome.text == "hello" && outcome.errors.isEmpty, "\(outcome.errors)")
          #expect(server.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
        }
        let direct = server.url("/").absoluteString
        for value in [field, "Bearer t0ken"] {
          let told = try await run(tool, ["-H", "Proxy-Authorization: \(value)", direct])
          #expect(told.text == "hello")
          #expect(told.errors.contains("--proxy-user") && !told.errors.contains(value), "\(told.errors)")
        }
        #expect(server.requests.allSatisfy { $0.headers["Proxy-Authorization"] == nil })
      }
    }
  }

  @Test func proxysPasswordIsToldNowhere() async throws {
    try await withProxy { tool, _, proxy, url async throws in
      let outcome = try await run(tool, ["-v", "--metrics", "-x", "http://ada:lovelace@127.0.0.1:\(proxy.port)", url])
      #expect(outcome.text == "hello")
      #expect(!outcome.errors.contains("lovelace"))
      let refused = try await run(tool, ["-x", "http://ada:lovelace@127.0.0.1:1", url])
      #expect(refused.status == 7)
      #expect(!refused.errors.contains("lovelace"))
    }
  }

  @Test(arguments: [([], "HTTP/2"), (["--http2"], "HTTP/2"), (["--http1.1"], "HTTP/1.1"), (["--http1.1", "--http2"], "HTTP/2")])
  func versionIsTheNewestThatIsAllowed(options: [String], version: String) async throws {
    let authority = try TestCertificateAuthority()
    try await Tool.withDirectory { tool, directory async throws in
      try authority.pem.write(to: directory.appending(path: "ca.pem"))
      try await TestServer.with(.http2(authority.issue())) { server async throws in
        server.route("/", reply: .text("hello"))
        let outcome = try await run(tool, options + ["-i", "--cacert", "ca.pem", server.url("/").absoluteString])
        #expect(outcome.text.hasPrefix(version), "\(outcome.text.prefix(40)) \(outcome.errors)")
      }
    }
  }

  #if HTTP3
    /// The server has no HTTP/3, and says so by ICMP.
    @Test(arguments: [["--http3"], ["--http3-only", "--http3"], ["--http3", "--tls-earlydata"]])
    func serversWithoutHTTP3AreReachedByHTTP2(_ options: [String]) async throws {
      let authority = try TestCertificateAuthority()
      try await Tool.withDirectory { tool, directory async throws in
        try authority.pem.write(to: directory.appending(path: "ca.pem"))
        try await TestServer.with(.http2(authority.issue())) { server async throws in
          server.route("/", reply: .text("hello"))
          let outcome = try await run(tool, options + ["-i", "--cacert", "ca.pem", server.url("/").absoluteString])
          #expect(outcome.text.hasPrefix("HTTP/2"), "\(outcome.text.prefix(40)) \(outcome.errors)")
        }
      }
    }
  #else
    @Test(arguments: ["--http3", "--http3-only", "--tls-earlydata"]) func buildsWithoutHTTP3SaySo(option: String) async throws {
      try await Tool.withDirectory { tool, _ async throws in
        let outcome = try await run(tool, [option, "https://server.test/"])
        #expect(outcome.status == 64)
        #expect(outcome.errors.contains("--traits HTTP3"))
      }
    }
  #endif

  // MARK: sockets and names

  @Test func placesAreGivenOnTheCommandLine() async throws {
    try await Tool.withDirectory { tool, _ async throws in
      try await withStandardServer { server async throws in
        server.route("/", reply: .text("hello"))
        let url = server.url("/", host: "server.test").absoluteString
        for options in [
          ["--resolve", "server.test:\(server.port):[::1],127.0.0.1"], ["--resolve", "+*:\(server.port):127.0.0.1"],
          ["--connect-to", "server.test:\(server.port):127.0.0.1:"], ["--connect-to", "::127.0.0.1:\(server.port)"],
        ] {
          let outcome = try await run(tool, options + [url])
          #expect(outcome.text == "hello", "\(options): \(outcome.errors)")
        }
        #expect(server.requests.allSatisfy { $0.headers["host"] == "server.test:\(server.port)" })
      }
    }
  }

  @Test func addressesOfTheOtherFamilyAreRefused() async throws {
    try await withProxy { tool, server, proxy, _ async throws in
      let direct = server.url("/").absoluteString
      server.route("/away", reply: Reply(302, headers: ["Location": "http://[::1]:\(server.port)/"]))
      for (arguments, option) in [
        (["-6", direct], "-6"), (["-4", "http://[::1]:\(server.port)/"], "-4"), (["-4", server.url("/away").absoluteString], "-4"),
        (["-6", "ftp://127.0.0.1:\(server.port)/"], "-6"),
        (["-6", "--connect-to", "::127.0.0.1:", "http://[::1]:\(server.port)/"], "-6"),
      ] {
        let outcome = try await run(tool, arguments)
        #expect(outcome.status == 7 && outcome.text.isEmpty, "\(arguments): \(outcome.status) \(outcome.errors)")
        #expect(outcome.errors.contains("leave \(option) out"), "\(outcome.errors)")
      }
      #expect(server.requests.map(\.uri) == ["/away"])
      #expect(try await run(tool, ["-4", direct]).text == "hello")
      // The proxy connects to the server, by whatever address.
      #expect(try await run(tool, ["-6", "-x", "127.0.0.1:\(proxy.port)", "--noproxy", "", direct]).text == "hello")
    }
  }

  @Test func socketsAreGivenOnTheCommandLine() async throws {
    try await Tool.withDirectory { tool, _ async throws in
      let missing = try await run(tool, ["--unix-socket", "/nowhere/web.sock", "http://localhost/"])
      #expect(missing.status == 7 && missing.errors.contains("/nowhere/web.sock"), "\(missing.errors)")
      let abstract = try await run(tool, ["--abstract-unix-socket", "urlload-nowhere", "http://localhost/"])
      #expect(abstract.status == 7 && abstract.errors.contains("@urlload-nowhere"), "\(abstract.errors)")
    }
  }

  @Test(arguments: [
    ["--resolve", "server.test:127.0.0.1"], ["--resolve", "server.test:x:127.0.0.1"], ["--connect-to", "a:b"],
    ["--doh-url", "http://dns.test/"],
    ["--connect-to", "a:1:b:x"], ["--unix-socket", "/a", "--abstract-unix-socket", "b"],
  ]) func mistakesInPlacesAreRefused(_ options: [String]) async throws {
    try await Tool.withDirectory { tool, _ async throws in
      let outcome = try await run(tool, options + ["http://localhost/"])
      #expect(outcome.status == 64 || outcome.status == 2, "\(outcome.status): \(outcome.errors)")
      #expect(outcome.errors.contains("--"))
    }
  }
}
