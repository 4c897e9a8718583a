#if Inspector
  import Foundation
  import Testing
  import URLLoadingSystem
  import URLLoadingTestKit

  @testable import URLLoadingInspector

  /// What a recorder has of loads from a server.
  @Suite(.timeLimit(.minutes(10))) struct RecordingTests {
    private func record(
      _ options: URLSessionInspector.Options = .init(), server serverOptions: TestServer.Options = .http,
      _ body: (TestServer, URLSessionConfiguration, URLSessionInspector) async throws -> Void
    ) async throws {
      try await TestServer.with(serverOptions) { server in
        server.add(.standard)
        let inspector = URLSessionInspector(options)
        let configuration = URLSessionConfiguration.testing()
        configuration.inspector = inspector
        try await body(server, configuration, inspector)
      }
    }

    @Test func aRedirectIsTwoTransfersOnOneConnection() async throws {
      try await record { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        _ = try await session.data(from: server.url("/redirect-to?url=/get&status=302"))
        let transfers = inspector.transfers
        #expect(transfers.map(\.state) == [.redirected, .completed])
        #expect(transfers.map { $0.response?.status } == [302, 200])
        #expect(Set(transfers.map(\.origin.task)).count == 1)
        #expect(transfers.map { $0.connection?.isReused } == [false, true])
        #expect(transfers[0].connection?.number == transfers[1].connection?.number)
        #expect(transfers[1].request.fields.first("Host") != nil)
        #expect(transfers[1].response?.body?.data.isEmpty == false)
        #expect(transfers[0].phases.connectStart != nil)
        #expect(transfers.allSatisfy { $0.phases.end != nil && $0.source == "network" })
      }
    }

    @Test(arguments: [false, true]) func certificatesOfTheServerAreThere(_ isHTTP2: Bool) async throws {
      let authority = try TestCertificateAuthority()
      let certificate = try authority.issue(hosts: ["127.0.0.1", "other.test"])
      try await TestServer.with(isHTTP2 ? .http2(certificate) : .https(certificate)) { server in
        server.add(.standard)
        let inspector = URLSessionInspector()
        let configuration = URLSessionConfiguration.testing(trusting: authority)
        configuration.inspector = inspector
        let session = URLSession(configuration: configuration)
        _ = try await session.data(from: server.url("/get"))
        for transfers in [inspector.transfers, try HARReading.transfers(inspector.har())] {
          let connection = try #require(transfers.first?.connection)
          #expect(connection.keyExchangeGroup != nil && connection.encryptedHello == "greased")
          let own = try #require(connection.certificates.first)
          #expect(Set(own.names) == ["127.0.0.1", "other.test"])
          #expect(own.sha256.count == 64 && !own.issuer.isEmpty)
          #expect(try #require(own.validUntil) > Date.now)
        }
        session.invalidateAndCancel()
      }
    }

    @Test func bodiesBothWaysAreThere() async throws {
      try await record { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        var request = URLRequest(url: server.url("/post"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(#"{"name":"a","password":"hidden"}"#.utf8)
        _ = try await session.data(for: request)
        let large = Data(repeating: 0x61, count: 300_000)
        _ = try await session.upload(for: request, from: large)
        let transfers = inspector.transfers
        #expect(transfers[0].request.body?.data == Data(#"{"name":"a","password":"REDACTED"}"#.utf8))
        #expect(transfers[0].request.bodyBytes == 32)
        #expect(transfers[1].request.body?.size == 300_000)
        #expect(transfers[1].request.body?.data == large)
      }
    }

    @Test func aCompressedBodyIsRecordedDecoded() async throws {
      try await record { server, configuration, inspector async throws in
        let (data, _) = try await URLSession(configuration: configuration).data(from: server.url("/gzip"))
        let response = try #require(inspector.transfers.first?.response)
        #expect(response.body?.data == data)
        #expect(response.decodedBytes == Int64(data.count))
        #expect(response.bodyBytes != response.decodedBytes)
      }
    }

    @Test func theCacheSaysWhatItDecidedAndWhy() async throws {
      try await record { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 { _ = try await session.data(from: server.url("/cache/60")) }
        for _ in 0..<2 { _ = try await session.data(from: server.url("/cache/0")) }
        let transfers = inspector.transfers
        #expect(transfers[1].source == "cache")
        #expect(transfers[1].cache == RecordedTransfer.CacheUse("use", "fresh"))
        let validated = transfers.dropFirst(3)
        #expect(validated.first?.cache?.decision == "validate")
        #expect(validated.contains { $0.response?.status == 304 })
      }
    }

    @Test func theCachesDecisionIsAHeadsFact() async throws {
      try await record(.headsOnly) { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        for _ in 0..<2 { _ = try await session.data(from: server.url("/cache/60")) }
        #expect(inspector.transfers[1].cache == RecordedTransfer.CacheUse("use", "fresh"))
      }
    }

    @Test func failuresAndCancellationsSayWhatTheyAre() async throws {
      try await record { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        server.enqueue(Reply(faults: [.disconnectBeforeHeaders]))
        _ = try? await session.data(from: server.url("/"))
        let failed = try #require(inspector.transfers.last)
        #expect(failed.state == .failed)
        #expect(failed.failure?.name == "networkConnectionLost")
        let task = session.dataTask(with: server.url("/drip?count=2&gate=never"))
        let recorder = DelegateRecorder()
        task.delegate = recorder
        let earlier = server.requestCount
        task.resume()
        _ = try await server.waitForRequestHead(earlier + 1)
        task.cancel()
        _ = await recorder.completion(of: task)
        #expect(inspector.transfers.last?.state == .cancelled)
      }
    }

    @Test func messagesOfAWebSocketAreRecordedRedacted() async throws {
      try await record { server, configuration, inspector async throws in
        let service = WebSocketService(.echo)
        server.route("/chat", .GET, reply: .webSocket(service))
        let session = URLSession(configuration: configuration)
        let task = session.webSocketTask(with: server.url("/chat"))
        task.resume()
        try await task.send(.string(#"{"token":"hidden"}"#))
        _ = try await task.receive()
        try await task.send(.data(Data([1, 2])))
        _ = try await task.receive()
        try await task.send(.data(Data(#"{"token":"hidden"}"#.utf8)))
        _ = try await task.receive()
        let transfer = try #require(inspector.transfers.first)
        #expect(transfer.state == .active)
        #expect(transfer.messages.map(\.isSent) == [true, false, true, false, true, false])
        let text = #"{"token":"REDACTED"}"#
        let binary = Data(text.utf8).base64EncodedString()
        #expect(transfer.messages.map(\.content) == [text, text, "AQI=", "AQI=", binary, binary])
        task.cancel(with: .normalClosure, reason: nil)
        try await service.ended()
      }
    }

    @Test func anEventStreamsEventsAreMessages() async throws {
      try await record { server, configuration, inspector async throws in
        let reply = Reply(headers: ["Content-Type": "text/event-stream"], body: .text("data: one\n\ndata: two\r\n\r\n"))
        server.route("/events", reply: reply)
        _ = try await URLSession(configuration: configuration).data(from: server.url("/events"))
        #expect(inspector.transfers.first?.messages.map(\.content) == ["data: one", "data: two"])
      }
    }

    @Test func informationalResponsesAreEvents() async throws {
      try await record { server, configuration, inspector async throws in
        server.route("/", reply: Reply(informational: [.init(103)]))
        _ = try await URLSession(configuration: configuration).data(from: server.url("/"))
        #expect(inspector.transfers.first.map { $0.events.map { String($0.text.prefix(3)) } } == ["103"])
      }
    }

    /// The end tag may be in another range.
    @Test(arguments: [
      Reply(206, body: .text("<password>\nleak")), Reply(headers: ["Content-Range": "bytes 0-14/99"], body: .text("<password>\nleak")),
    ])
    func aRangeOfABodyIsNoWholeText(reply: Reply) async throws {
      try await record { server, configuration, inspector async throws in
        server.route("/part", .POST, reply: reply)
        var request = URLRequest(url: server.url("/part"))
        request.httpMethod = "POST"
        request.setValue("bytes 0-14/99", forHTTPHeaderField: "Content-Range")
        _ = try await URLSession(configuration: configuration).upload(for: request, from: Data("<token>\nleak".utf8))
        let transfer = try #require(inspector.transfers.first)
        #expect(transfer.request.body.map { String(decoding: $0.data, as: UTF8.self) } == "<token>REDACTED")
        #expect(transfer.response?.body.map { String(decoding: $0.data, as: UTF8.self) } == "<password>REDACTED")
      }
    }

    @Test func headsOnlyRecordsNoBodies() async throws {
      try await record(.headsOnly) { server, configuration, inspector async throws in
        _ = try await URLSession(configuration: configuration).data(from: server.url("/get"))
        let transfer = try #require(inspector.transfers.first)
        #expect(transfer.response?.body == nil)
        #expect(transfer.response?.decodedBytes ?? 0 > 0)
      }
    }

    @Test func aLongBodyIsCutAndALargeOneIsInAFile() async throws {
      var options = URLSessionInspector.Options()
      options.maximumBodyBytes = 100_000
      options.spillThreshold = 1000
      try await record(options) { server, configuration, inspector async throws in
        let (file, _) = try await URLSession(configuration: configuration).download(from: server.url("/bytes/2000000"))
        try FileManager.default.removeItem(at: file)
        inspector.settle()
        let body = try #require(inspector.transfers.first?.response?.body)
        #expect(body.size == 2_000_000)
        #expect(body.isCut)
        #expect(body.data.count == 100_000)
        let folder = try #require(inspector.folder.path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 1)
        #expect(inspector.budget.taken == 0)
      }
    }

    @Test func aSampleOfTheTasksIsRecorded() async throws {
      var options = URLSessionInspector.Options()
      options.sampling = 0.25
      try await record(options) { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        for _ in 0..<12 { _ = try await session.data(from: server.url("/get")) }
        #expect(inspector.count == 3)
        inspector.isPaused = true
        for _ in 0..<8 { _ = try await session.data(from: server.url("/get")) }
        #expect(inspector.count == 3)
      }
    }

    @Test func manyStreamsOfOneConnectionAreToldApart() async throws {
      let authority = try TestCertificateAuthority()
      try await TestServer.with(.http2(try authority.issue())) { server in
        server.add(.standard)
        let inspector = URLSessionInspector()
        let configuration = URLSessionConfiguration.testing(trusting: authority)
        configuration.inspector = inspector
        let session = URLSession(configuration: configuration)
        _ = try await session.data(from: server.url("/get"))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<20 { group.addTask { _ = try await session.data(from: server.url("/anything/\(number)")) } }
          try await group.waitForAll()
        }
        let transfers = inspector.transfers
        #expect(transfers.count == 21)
        #expect(Set(transfers.map { $0.connection?.number }).count == 1)
        #expect(transfers[0].connection?.tls == "TLS 1.3")
        // One object for all that used it alike: its certificates are read once.
        #expect(Set(transfers.dropFirst().compactMap { $0.connection.map(ObjectIdentifier.init) }).count == 1)
        #expect(transfers[0].response?.version == "HTTP/2")
        for transfer in transfers.dropFirst() {
          let path = try #require(transfer.request.url.split(separator: "/").last)
          let body = try #require(transfer.response?.body?.data)
          #expect(String(decoding: body, as: UTF8.self).contains("/anything/\(path)"))
        }
      }
    }

    @Test func whatAHARSaysOfLoadsIsValid() async throws {
      try await record { server, configuration, inspector async throws in
        let session = URLSession(configuration: configuration)
        for path in ["/get", "/gzip", "/cache/60", "/cache/60", "/redirect/2", "/status/404"] {
          _ = try await session.data(from: server.url(path))
        }
        let archive = try JSONSerialization.jsonObject(with: inspector.har()) as? [String: Any]
        #expect(HARSchema.problems(try #require(archive?["log"] as? [String: Any])) == [])
        #expect(try HARReading.transfers(inspector.har()).count == inspector.count)
      }
    }
  }
#endif
