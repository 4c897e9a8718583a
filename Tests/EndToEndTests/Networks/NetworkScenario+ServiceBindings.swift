#if HTTP3
  import ChildProcesses
  import Foundation
  import HTTPTransport
  import ProtocolRules
  import Testing
  import URLLoadingSystem
  import URLLoadingTestKit

  extension NetworkScenario {
    /// HTTPS records by the system's resolver.
    func findServiceBindings(_ network: PrivateNetwork) async throws {
      try addAddresses(network)
      // Priority, target, alpn=h3, port=8443, ipv4hint=192.0.2.1.
      let other: [UInt8] = [0, 1, 1, 0x62, 4] + Array("test".utf8) + [0]
      let record = other + [0, 1, 0, 3, 2, 0x68, 0x33, 0, 3, 0, 2, 0x20, 0xFB, 0, 4, 0, 4, 192, 0, 2, 1]
      let alias: [UInt8] = [0, 0, 1, 0x63, 4] + Array("test".utf8) + [0]
      let names = try await NameServer { name, kind in
        switch (name, kind) {
        case ("a.test", .https), ("c.test", .https): .bindings([record])
        case ("_8443._https.alias.test", .https): .bindings([alias])
        // More than a datagram of the shortest kind.
        case ("many.test", .https): .bindings((0..<20).map { [0, UInt8($0 + 2)] + record.dropFirst(2) } + [record])
        case ("none.test", _): .nothing
        case ("broken.test", _): .broken
        default: .absent
        }
      }
      let session = URLSession(configuration: .testing())
      let endpoint = AlternativeEndpoint(host: "b.test", port: 8443, addressHints: ["192.0.2.1"])
      for text in ["https://a.test", "https://alias.test:8443", "https://many.test"] {
        #expect(try await found(#require(URL(string: text)), session) == endpoint, "\(text)")
      }
      for text in ["https://none.test", "https://absent.test", "https://broken.test"] {
        let (url, name) = (try #require(URL(string: text)), String(text.dropFirst(8)))
        let end = HangLimit.end
        while names.count(name, .https) == 0, ContinuousClock.now < end { #expect(await session.alternative(of: url) == nil) }
        #expect(await session.alternative(of: url) == nil)
      }
      // Another network may have other name servers.
      let before = names.count("a.test", .https)
      try network.ip("addr", "add", "10.97.0.1/24", "dev", "eth7")
      let end = HangLimit.end
      let url = try #require(URL(string: "https://a.test"))
      while names.count("a.test", .https) == before, ContinuousClock.now < end { _ = await session.alternative(of: url) }
      #expect(names.count("a.test", .https) > before)
      session.invalidateAndCancel()
      await names.stop()
    }

    /// What becomes known once the DNS has answered.
    private func found(_ url: URL, _ session: URLSession) async -> AlternativeEndpoint? {
      let end = HangLimit.end
      while ContinuousClock.now < end {
        if let endpoint = await session.alternative(of: url) { return endpoint }
      }
      return nil
    }
  }
#endif
