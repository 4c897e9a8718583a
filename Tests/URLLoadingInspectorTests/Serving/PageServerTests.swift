#if Inspector
  import Foundation
  import Testing
  import URLLoadingSystem
  import URLLoadingTestKit

  @testable import URLLoadingInspector

  @Suite(.timeLimit(.minutes(10))) struct PageServerTests {
    /// A server of a recording, and a session that isn't recorded.
    private func serve(_ transfers: [RecordedTransfer], _ body: (URL, URLSessionInspector, URLSession) async throws -> Void) async throws {
      let inspector = URLSessionInspector()
      inspector.add(transfers)
      let server = try PageServer(inspector, port: 0, token: nil, title: "tests <b>")
      let session = URLSession(configuration: .testing())
      do {
        try await body(server.url, inspector, session)
      } catch {
        server.stop()
        throw error
      }
      session.invalidateAndCancel()
      server.stop()
    }

    private func post(_ url: URL, to path: String, origin: String?) -> URLRequest {
      var request = URLRequest(url: url.appending(path: path))
      request.httpMethod = "POST"
      if let origin { request.setValue(origin, forHTTPHeaderField: "Origin") }
      return request
    }

    /// The IPv4 addresses at which this process listens on `port`, by its own descriptors: the kernel's table of sockets changes while it is
    /// read, and isn't shown everywhere. A socket of IPv6 counts as "any".
    private static func listeningAddresses(port: Int) -> [String] {
      let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { Int32($0) }) ?? Array(0..<4096)
      return descriptors.compactMap { descriptor in
        var listens: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &length) == 0, listens != 0 else { return nil }
        var storage = sockaddr_in6()
        length = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutableBytes(of: &storage) { bytes -> String? in
          guard let base = bytes.baseAddress, getsockname(descriptor, base.assumingMemoryBound(to: sockaddr.self), &length) == 0 else {
            return nil
          }
          // The port stands at the same place for both families, in the network's byte order.
          guard Int(bytes.load(fromByteOffset: 2, as: UInt16.self).bigEndian) == port else { return nil }
          switch Int32(bytes.load(as: sa_family_t.self)) {
          case AF_INET: return bytes[4..<8].map { String($0) }.joined(separator: ".")
          case AF_INET6: return "any"
          default: return nil
          }
        }
      }
    }

    private func origin(of url: URL) -> String { "http://127.0.0.1:\(url.port ?? 0)" }

    @Test func thePageIsServedWithAStrictPolicy() async throws {
      try await serve([.sample()]) { url, _, session async throws in
        let (html, response) = try await session.data(from: url)
        let http = try #require(response as? HTTPURLResponse)
        #expect(http.statusCode == 200)
        let policy = try #require(http.value(forHTTPHeaderField: "Content-Security-Policy"))
        #expect(policy.hasPrefix("default-src 'none'; script-src 'self'; style-src 'self';"))
        #expect(!policy.contains("unsafe"))
        #expect(http.value(forHTTPHeaderField: "X-Content-Type-Options") == "nosniff")
        let text = String(decoding: html, as: UTF8.self)
        #expect(text.contains("tests &lt;b&gt;"))
        // Neither inline scripts and styles nor anything from elsewhere.
        #expect(text.matches(of: #/<script(?! src="page\.js")|<style| on\w+=|style=|https?:/#).isEmpty)
        let (script, scriptResponse) = try await session.data(from: url.appending(path: "page.js"))
        #expect(scriptResponse.mimeType == "text/javascript")
        let code = String(decoding: script, as: UTF8.self)
        #expect(code.matches(of: #/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/#).isEmpty)
      }
    }

    @Test func detailsBodiesAndExportsAreServed() async throws {
      try await serve([.sample(body: "<script>alert(1)</script>")]) { url, _, session async throws in
        let details = try JSONSerialization.jsonObject(with: try await session.data(from: url.appending(path: "api/transfer/1")).0)
        #expect((details as? [String: Any])?["curl"] is String)
        let (body, response) = try await session.data(from: url.appending(path: "api/body/1/response"))
        #expect(body == Data("<script>alert(1)</script>".utf8))
        #expect(response.mimeType == "application/octet-stream")
        #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Disposition")?.hasPrefix("attachment") == true)
        #expect(try HARReading.transfers(try await session.data(from: url.appending(path: "export.har")).0).count == 1)
        let (report, _) = try await session.data(from: url.appending(path: "report.html"))
        #expect(!String(decoding: report, as: UTF8.self).contains("<script>alert"))
        for path in ["api/transfer/9", "api/transfer/x", "api/body/1/x", "nothing", "api/body/1/response/x"] {
          let (_, missing) = try await session.data(from: url.appending(path: path))
          #expect((missing as? HTTPURLResponse)?.statusCode == 404)
        }
      }
    }

    @Test func thePageChangesTheRecorder() async throws {
      try await serve([.sample()]) { url, inspector, session async throws in
        for (path, isPaused, count) in [("api/pause", true, 1), ("api/resume", false, 1), ("api/clear", false, 0)] {
          let (_, response) = try await session.data(for: post(url, to: path, origin: origin(of: url)))
          #expect((response as? HTTPURLResponse)?.statusCode == 200)
          #expect(inspector.isPaused == isPaused)
          #expect(inspector.count == count)
        }
      }
    }

    @Test func otherUsersAndOtherPagesGetNothing() async throws {
      try await serve([.sample()]) { url, inspector, session async throws in
        let root = "http://127.0.0.1:\(url.port ?? 0)"
        var requests: [(URLRequest, Int)] = []
        for path in ["/", "/api/events", "/\(String(repeating: "0", count: 48))/", "/\(String(repeating: "0", count: 48))/export.har"] {
          requests.append((URLRequest(url: try #require(URL(string: root + path))), 404))
        }
        requests.append((post(url, to: "api/clear", origin: "http://evil.example"), 403))
        requests.append((post(url, to: "api/clear", origin: nil), 403))
        var rebound = URLRequest(url: url)
        rebound.setValue("evil.example:\(url.port ?? 0)", forHTTPHeaderField: "Host")
        requests.append((rebound, 421))
        for (request, status) in requests {
          let (data, response) = try await session.data(for: request)
          let http = try #require(response as? HTTPURLResponse)
          #expect(http.statusCode == status)
          #expect(http.value(forHTTPHeaderField: "Access-Control-Allow-Origin") == nil)
          #expect(!String(decoding: data, as: UTF8.self).contains("host.example"))
        }
        #expect(inspector.count == 1)
      }
    }

    @Test func theEventStreamHasAllAndThenWhatChanges() async throws {
      try await serve([.sample()]) { url, inspector, session async throws in
        let (bytes, response) = try await session.bytes(from: url.appending(path: "api/events"))
        #expect(response.mimeType == "text/event-stream")
        var lines = bytes.lines.makeAsyncIterator()
        let first = try #require(try await lines.next())
        #expect(first.hasPrefix("data: {\"reset\":true"))
        inspector.add([.sample(number: 0, url: "https://second.example/")])
        var second = try #require(try await lines.next())
        // Comments keep a stream alive that has had nothing to say for a while.
        while second.hasPrefix(":") { second = try #require(try await lines.next()) }
        #expect(second.hasPrefix("data: {\"reset\":false"))
        #expect(second.contains("second.example"))
        #expect(!second.contains("host.example/path"))
      }
    }

    @Test func onlyTheLoopbackInterfaceListens() async throws {
      try await serve([]) { url, _, _ async throws in
        #expect(url.host == "127.0.0.1")
        #expect(Self.listeningAddresses(port: try #require(url.port)) == ["127.0.0.1"])
      }
    }
  }
#endif
