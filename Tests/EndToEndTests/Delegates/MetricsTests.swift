import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
  private func metrics(
    of request: URLRequest, in configuration: URLSessionConfiguration = .testing()
  ) async throws -> URLSessionTaskMetrics {
    let recorder = DelegateRecorder()
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    let task = session.dataTask(with: request)
    task.resume()
    #expect(await recorder.completion(of: task) == nil)
    session.invalidateAndCancel()
    return try #require(recorder.metrics)
  }

  @Test(arguments: Wire.allCases) func newConnectionHasAllItsDatesInOrder(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let metrics = try await metrics(of: URLRequest(url: server.url("/get", host: "localhost")), in: configuration)
      let transaction = try #require(metrics.transactionMetrics.first)
      #expect(
        transaction.namedDates.map(\.name) == ["fetchStart", "lookupStart", "lookupEnd", "connectStart"]
          + (wire == .plain ? [] : ["secureStart", "secureEnd"])
          + ["connectEnd", "requestStart", "requestEnd", "responseStart", "responseEnd"])
      #expect(transaction.hasDatesInOrder)
      let first = try #require(transaction.fetchStartDate)
      let last = try #require(transaction.responseEndDate)
      #expect(metrics.taskInterval.contains(first))
      #expect(last <= metrics.taskInterval.end)
      #expect(metrics.redirectCount == 0)
      #expect(transaction.networkProtocolName == wire.protocolName)
      #expect(transaction.resourceFetchType == .networkLoad)
      #expect(!transaction.isReusedConnection)
      #expect(!transaction.isProxyConnection)
      #expect(transaction.remotePort == server.port)
      #expect(transaction.localPort != nil)
      #expect((transaction.negotiatedTLSProtocolVersion == nil) == (wire == .plain))
      #expect((transaction.negotiatedTLSCipherSuite == nil) == (wire == .plain))
      #expect((transaction.response as? HTTPURLResponse)?.statusCode == 200)
      #expect(transaction.request.url == server.url("/get", host: "localhost"))
    }
  }

  @Test(arguments: Wire.allCases) func addressLiteralNeedsNoLookup(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let metrics = try await metrics(of: URLRequest(url: server.url("/get")), in: configuration)
      let transaction = try #require(metrics.transactionMetrics.first)
      #expect(transaction.domainLookupStartDate == nil)
      #expect(transaction.domainLookupEndDate == nil)
      #expect(transaction.remoteAddress == "127.0.0.1")
      #expect(transaction.localAddress == "127.0.0.1")
      #expect(transaction.hasDatesInOrder)
    }
  }

  @Test(arguments: [TestServer.TLSVersion.tls12, .tls13], [Wire.tls, .h2])
  func secureConnectionTellsItsVersionAndSuite(_ version: TestServer.TLSVersion, _ wire: Wire) async throws {
    let limit: (inout TestServer.Options) -> Void = { ($0.minimumTLSVersion, $0.maximumTLSVersion) = (version, version) }
    try await wire.serve(limit) { server, configuration async throws in
      server.add(.standard)
      let metrics = try await metrics(of: URLRequest(url: server.url("/get")), in: configuration)
      let transaction = try #require(metrics.transactionMetrics.first)
      #expect(
        transaction.namedDates.map(\.name) == [
          "fetchStart", "connectStart", "secureStart", "secureEnd", "connectEnd", "requestStart", "requestEnd", "responseStart",
          "responseEnd",
        ])
      #expect(transaction.hasDatesInOrder)
      #expect(transaction.negotiatedTLSProtocolVersion == (version == .tls12 ? .TLSv12 : .TLSv13))
      #expect(transaction.negotiatedTLSCipherSuite != nil)
      #expect(transaction.networkProtocolName == wire.protocolName)
    }
  }

  @Test(arguments: Wire.allCases) func reusedConnectionHasNoDatesOfConnecting(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      _ = try await session.data(from: server.url("/get"))
      let first = try #require(recorder.metrics?.transactionMetrics.first)
      _ = try await session.data(from: server.url("/get"))
      let second = try #require(recorder.metrics?.transactionMetrics.first)
      #expect(second.isReusedConnection)
      #expect(
        second.namedDates.map(\.name) == ["fetchStart", "requestStart", "requestEnd", "responseStart", "responseEnd"])
      #expect(second.hasDatesInOrder)
      #expect(second.localPort == first.localPort)
      #expect(second.remotePort == server.port)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func everyRedirectIsATransaction(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let metrics = try await metrics(of: URLRequest(url: server.url("/relative-redirect/3")), in: configuration)
      #expect(metrics.redirectCount == 3)
      #expect(metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, 302, 302, 200])
      let paths = ["/relative-redirect/3", "/relative-redirect/2", "/relative-redirect/1", "/get"]
      #expect(metrics.transactionMetrics.map { $0.request.url?.path } == paths)
      #expect(metrics.transactionMetrics.map(\.isReusedConnection) == [false, true, true, true])
      for transaction in metrics.transactionMetrics {
        #expect(transaction.hasDatesInOrder)
        #expect(transaction.responseEndDate != nil)
      }
      for (before, after) in zip(metrics.transactionMetrics, metrics.transactionMetrics.dropFirst()) {
        let end = try #require(before.responseEndDate)
        let start = try #require(after.fetchStartDate)
        #expect(end <= start)
      }
    }
  }

  @Test(arguments: Wire.allCases) func silentRetryIsATransactionButNoRedirect(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(.text("x"), Reply(faults: [.disconnectBeforeHeaders]), .text("x"))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      _ = try await session.data(from: server.url())
      let (data, _) = try await session.data(from: server.url())
      #expect(data == Data("x".utf8))
      let metrics = try #require(recorder.metrics)
      #expect(metrics.redirectCount == 0)
      #expect(metrics.transactionMetrics.map(\.isReusedConnection) == [true, false])
      #expect(metrics.transactionMetrics.map { $0.response != nil } == [false, true])
      #expect(metrics.transactionMetrics.first?.responseStartDate == nil)
      session.invalidateAndCancel()
    }
  }

  @Test func bytesAreThoseOnTheWire() async throws {
    let head = "HTTP/1.1 201 Created\r\nContent-Length: 5\r\nX-Long: spaced\r\nContent-Type: text/plain\r\n\r\n"
    try await TestServer.with(.raw([.readRequestHead, .read(count: 7), .send(head + "hello")])) { server async throws in
      var request = URLRequest(url: server.url("/path?query"))
      request.httpMethod = "POST"
      request.httpBody = Data("request".utf8)
      let metrics = try await metrics(of: request)
      let transaction = try #require(metrics.transactionMetrics.first)
      let received = server.received()
      #expect(transaction.countOfRequestHeaderBytesSent == Int64(received.count - 7))
      #expect(transaction.countOfRequestBodyBytesSent == 7)
      #expect(transaction.countOfRequestBodyBytesBeforeEncoding == 7)
      #expect(transaction.countOfResponseBodyBytesReceived == 5)
      #expect(transaction.countOfResponseBodyBytesAfterDecoding == 5)
      #expect(transaction.countOfResponseHeaderBytesReceived == Int64(head.utf8.count))
    }
  }

  /// How many bytes the header fields take is up to HPACK.
  @Test(arguments: Wire.allCases) func bodiesAreCountedWithoutTheirFraming(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(201, body: .chunks([Data("hel".utf8), Data("lo".utf8)])))
      let metrics = try await metrics(of: URLRequest("POST", server.url(), body: Data("request".utf8)), in: configuration)
      let transaction = try #require(metrics.transactionMetrics.first)
      #expect(transaction.countOfRequestHeaderBytesSent > 0)
      #expect(transaction.countOfRequestBodyBytesSent == 7)
      #expect(transaction.countOfRequestBodyBytesBeforeEncoding == 7)
      #expect(transaction.countOfResponseBodyBytesReceived == 5)
      #expect(transaction.countOfResponseBodyBytesAfterDecoding == 5)
      #expect(transaction.countOfResponseHeaderBytesReceived > 0)
    }
  }

  @Test(arguments: Wire.allCases) func compressedBodyIsCountedBeforeAndAfterDecoding(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.add(.standard)
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let (data, response) = try await session.data(from: server.url("/gzip"))
      let transaction = try #require(recorder.metrics?.transactionMetrics.first)
      let length = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Content-Length").flatMap(Int64.init)
      #expect(transaction.countOfResponseBodyBytesReceived == length)
      #expect(transaction.countOfResponseBodyBytesAfterDecoding == Int64(data.count))
      #expect(transaction.countOfResponseBodyBytesReceived != transaction.countOfResponseBodyBytesAfterDecoding)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func failedLoadEndsWithAnOpenTransaction(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(body: .pattern(count: 100), faults: [.disconnectAfterBodyBytes(10)]))
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: server.url())
      task.resume()
      #expect(await recorder.completion(of: task) != nil)
      let transaction = try #require(recorder.metrics?.transactionMetrics.first)
      #expect(transaction.responseStartDate != nil)
      #expect(transaction.responseEndDate == nil)
      #expect(transaction.countOfResponseBodyBytesReceived == 10)
      #expect(transaction.hasDatesInOrder)
      session.invalidateAndCancel()
    }
  }

  /// The metrics of a load that fails before there is a connection.
  private func metrics(
    ofFailing url: URL, _ configuration: URLSessionConfiguration = .testing(), isWebSocket: Bool
  ) async throws -> [URLSessionTaskTransactionMetrics] {
    let recorder = DelegateRecorder()
    let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
    let task = isWebSocket ? session.webSocketTask(with: url) : session.dataTask(with: url)
    task.resume()
    #expect(await recorder.completion(of: task) != nil)
    session.invalidateAndCancel()
    let transactions = try #require(recorder.metrics).transactionMetrics
    for transaction in transactions {
      #expect(transaction.hasDatesInOrder)
      #expect(transaction.connectEndDate == nil && transaction.secureConnectionEndDate == nil && transaction.requestStartDate == nil)
      #expect(transaction.resourceFetchType == .networkLoad)
    }
    return transactions
  }

  private func url(_ scheme: String, _ host: String, _ port: Int) throws -> URL {
    try #require(URL(string: "\(scheme)://\(host):\(port)/"))
  }

  @Test(arguments: ["http", "ws"]) func failedLookUpHasItsDates(scheme: String) async throws {
    let url = try url(scheme, "nowhere.invalid", 80)
    for transaction in try await metrics(ofFailing: url, isWebSocket: scheme == "ws") {
      #expect(transaction.namedDates.map(\.name) == ["fetchStart", "lookupStart", "lookupEnd"])
      #expect(transaction.remoteAddress == nil)
    }
  }

  @Test(arguments: ["http", "https", "ws", "ftp"]) func refusedConnectionHasItsDatesAndTheAddress(scheme: String) async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    for host in ["127.0.0.1", "localhost"] {
      for transaction in try await metrics(ofFailing: url(scheme, host, closed.number), isWebSocket: scheme == "ws") {
        let lookup = host == "localhost" ? ["lookupStart", "lookupEnd"] : []
        #expect(transaction.namedDates.map(\.name) == ["fetchStart"] + lookup + ["connectStart"])
        #expect(host == "localhost" ? transaction.remoteAddress != nil : transaction.remoteAddress == host)
        #expect(transaction.remotePort == closed.number && !transaction.isProxyConnection)
      }
    }
  }

  @Test(arguments: ["https", "wss"], ["end", "reset", "words"])
  func failedHandshakeHasItsDatesAndTheAddress(scheme: String, ending: String) async throws {
    let step: RawStep = ending == "end" ? .close : ending == "reset" ? .reset : .send("no TLS at all")
    try await TestServer.with(.raw([.read(count: 5), step])) { server async throws in
      for transaction in try await metrics(ofFailing: url(scheme, "127.0.0.1", server.port), isWebSocket: scheme == "wss") {
        #expect(transaction.namedDates.map(\.name) == ["fetchStart", "connectStart", "secureStart"])
        #expect(transaction.remoteAddress == "127.0.0.1" && transaction.remotePort == server.port)
      }
    }
  }

  @Test func serverThatIsNotTrustedHasDatesAndAddress() async throws {
    try await TestServer.with(.https(TestCertificate.selfSigned())) { server async throws in
      let transactions = try await metrics(ofFailing: server.url("/", host: "localhost"), isWebSocket: false)
      #expect(transactions.count == 1)
      for transaction in transactions {
        #expect(transaction.namedDates.map(\.name) == ["fetchStart", "lookupStart", "lookupEnd", "connectStart", "secureStart"])
        #expect(transaction.remotePort == server.port)
      }
    }
  }

  @Test func failedConnectionToAProxyHasItsDatesAndTheProxysAddress() async throws {
    let closed = try ClosedPort()
    defer { withExtendedLifetime(closed) {} }
    for (scheme, isWebSocket) in [("http", false), ("https", false), ("wss", true)] {
      let configuration = URLSessionConfiguration.testing()
      configuration.connectionProxyDictionary = [
        "HTTPEnable": true, "HTTPProxy": "127.0.0.1", "HTTPPort": closed.number, "HTTPSEnable": true, "HTTPSProxy": "127.0.0.1",
        "HTTPSPort": closed.number,
      ]
      let transactions = try await metrics(ofFailing: url(scheme, "server.invalid", 81), configuration, isWebSocket: isWebSocket)
      let first = try #require(transactions.first)
      #expect(first.namedDates.map(\.name) == ["fetchStart", "connectStart"])
      #expect(first.remoteAddress == "127.0.0.1" && first.remotePort == closed.number && first.isProxyConnection)
    }
  }

  @Test func loadThatIsCancelledInTheHandshakeHasItsDates() async throws {
    try await TestServer.with(.raw([.readToEnd])) { server async throws in
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: .testing(), delegate: recorder, delegateQueue: nil)
      let task = session.dataTask(with: try url("https", "127.0.0.1", server.port))
      task.resume()
      try await server.waitForConnections(open: 1)
      task.cancel()
      #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
      let transaction = try #require(recorder.metrics?.transactionMetrics.first)
      #expect(Set(transaction.namedDates.map(\.name)).isSuperset(of: ["fetchStart", "connectStart"]))
      #expect(transaction.remotePort == server.port)
      session.invalidateAndCancel()
    }
  }

  @Test func localSchemesHaveTransactionsWithoutAConnection() async throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("metrics-\(UUID().uuidString).txt")
    try Data("file".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    for url in [file, try #require(URL(string: "data:,data"))] {
      let metrics = try await metrics(of: URLRequest(url: url))
      let transaction = try #require(metrics.transactionMetrics.first)
      #expect(metrics.transactionMetrics.count == 1)
      #expect(transaction.namedDates.map(\.name) == ["fetchStart", "requestStart", "responseStart", "responseEnd"])
      #expect(transaction.hasDatesInOrder)
      #expect(transaction.networkProtocolName == nil)
      #expect(transaction.remoteAddress == nil)
      #expect(transaction.countOfResponseBodyBytesAfterDecoding == 4)
      #expect(transaction.countOfRequestHeaderBytesSent == 0)
    }
  }
}
