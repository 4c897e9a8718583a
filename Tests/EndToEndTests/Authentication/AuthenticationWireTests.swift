import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What authentication does to requests, bodies, connections and metrics.
@Suite(.timeLimit(.minutes(10))) struct AuthenticationWireTests {
  private func fields(_ authorization: String) -> [String: String] {
    var result: [String: String] = [:]
    for part in authorization.dropFirst("Digest ".count).split(separator: ", ") {
      guard let equals = part.firstIndex(of: "=") else { continue }
      result[String(part[..<equals])] = part[part.index(after: equals)...].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
    }
    return result
  }

  @Test(arguments: Wire.allCases) func digestIsReusedWithItsCounter(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { request in
        request.headers["Authorization"] == nil
          ? Reply(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n1", qop="auth", opaque="o", algorithm=SHA-256"#])
          : .text("in")
      }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/a/b?c=d", "/e", "/"] { #expect(try await session.text(from: server.url(path)).0 == "in") }
      #expect(delegate.asked == [.digest()])
      let sent = server.authorizations.dropFirst().map(fields)
      #expect(sent.map { $0["nc"] } == ["00000001", "00000002", "00000003"])
      #expect(sent.map { $0["uri"] } == ["/a/b?c=d", "/e", "/"])
      #expect(Set(sent.map { $0["cnonce"] ?? "" }).count == 1)
      #expect(sent[0]["cnonce"]?.count == 32)
      #expect(server.requestCount == 4)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func staleNonceIsRenewedWithoutAsking(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let challenge = #"Digest realm="r", qop="auth", nonce="#
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": challenge + "n1"]), .text("in"))
      _ = try await session.text(from: server.url("/"))
      for stale in [", stale=true", ""] {
        server.enqueue(Reply(401, headers: ["WWW-Authenticate": challenge + "n2\(stale.count)" + stale]), .text("in"))
        #expect(try await session.text(from: server.url("/")).0 == "in")
      }
      #expect(delegate.asked == [.digest()])
      #expect(server.authorizations.dropFirst().map { fields($0)["nonce"] } == ["n1", "n1", "n212", "n212", "n20"])
      #expect(server.authorizations.dropFirst().map { fields($0)["nc"] } == ["00000001", "00000002", "00000001", "00000002", "00000001"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func serverThatCallsEveryNonceStaleIsGivenUp(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: Reply(401, headers: ["WWW-Authenticate": "Digest realm=r, nonce=n, stale=true"]))
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url(user: "u", password: "p")).1.statusCode == 401)
      #expect(server.requestCount == 5)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func nextNonceIsUsed(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(
        Reply(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n1", qop="auth""#]),
        Reply(200, headers: ["Authentication-Info": #"nextnonce="n2""#]), Reply(200, headers: ["Authentication-Info": #"nextnonce="n3""#]),
        Reply(200))
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for _ in 0..<3 { _ = try await session.text(from: server.url("/")) }
      #expect(server.authorizations.dropFirst().map { fields($0)["nonce"] } == ["n1", "n2", "n3"])
      #expect(server.authorizations.dropFirst().map { fields($0)["nc"] } == ["00000001", "00000001", "00000001"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func digestDomainLimitsWhatIsSentUnasked(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n1", qop="auth", domain="/in""#]))
      for _ in 0..<3 { server.enqueue(.text("in")) }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/in/a", "/in/b", "/out"] { _ = try await session.text(from: server.url(path)) }
      #expect(server.authorizations.map { $0 == "-" } == [true, false, false, true])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: [7, 100_000, 1_000_000], Wire.allCases) func bodyInMemoryIsSentAgain(_ length: Int, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let (_, response) = try await session.text(for: URLRequest("POST", server.url("/"), body: Data(repeating: 1, count: length)))
      #expect(response.statusCode == 200)
      #expect(server.requests.map(\.bodyLength) == [length, length])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func integrityOfABodyIsProtectedWhereTheServerWantsIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let challenge = Reply(401, headers: ["WWW-Authenticate": #"Digest realm="r", nonce="n", qop="auth-int""#])
      server.enqueue(challenge, .text("in"), challenge)
      let delegate = ChallengeAnswerer("u", "p", .none)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let (_, response) = try await session.text(for: URLRequest("POST", server.url("/"), body: Data("content".utf8)))
      #expect(response.statusCode == 200)
      #expect(fields(server.authorizations[1])["qop"] == "auth-int")
      // A stream can't be hashed before it is sent: nothing can be answered.
      var request = URLRequest("POST", server.url("/"))
      request.httpBodyStream = InputStream(data: Data("content".utf8))
      #expect(try await session.text(for: request).1.statusCode == 401)
      #expect(server.requestCount == 3)
      session.invalidateAndCancel()
    }
  }

  /// Answers challenges and hands out body streams.
  private final class Uploader: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
    }

    func urlSession(_ session: URLSession, needNewBodyStreamForTask task: URLSessionTask) async -> InputStream? {
      InputStream(data: Data("second".utf8))
    }
  }

  @Test(arguments: Wire.allCases) func streamedBodyIsAskedForAgain(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let session = URLSession(configuration: configuration)
      var request = URLRequest("POST", server.url("/"))
      request.httpBodyStream = InputStream(data: Data("first".utf8))
      let (_, response) = try await session.data(for: request, delegate: Uploader())
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(server.requests.map(\.text) == ["first", "second"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func redirectAcrossOriginsTakesNoCredentialAlong(_ wire: Wire) async throws {
    try await wire.serve { other, _ async throws in
      other.route("/away", reply: .text("away"))
      try await wire.serve { server, configuration async throws in
        let away = other.url("/away").absoluteString
        server.route("/start") { request in
          request.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=r"]) : .redirect(to: away)
        }
        let delegate = ChallengeAnswerer("u", "p")
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/start")).0 == "away")
        #expect(server.authorizations == ["-", basic("u", "p")])
        #expect(other.authorizations == ["-"])
        session.invalidateAndCancel()
      }
    }
  }

  @Test(arguments: [(10_000, 1), (10_000_000, 2)], Wire.allCases)
  func short401KeepsTheConnectionAndALongOneCostsIt(_ body: (length: Int, connections: Int), _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": "Basic realm=r"], body: .repeating(1, count: body.length)), .text("in"))
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "in")
      // A stream can be given up without its connection.
      #expect(server.acceptedConnections == (wire.isMultiplexed ? 1 : body.connections))
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func eachLegIsATransactionWithoutItsSecret(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let recorder = DelegateRecorder()
      let session = URLSession(configuration: configuration, delegate: recorder, delegateQueue: nil)
      var request = URLRequest(url: server.url(user: "u", password: "p"))
      request.setValue("kept", forHTTPHeaderField: "X-Plain")
      let task = session.dataTask(with: request)
      task.resume()
      #expect(await recorder.completion(of: task) == nil)
      #expect((task.response as? HTTPURLResponse)?.statusCode == 200)
      let transactions = try #require(recorder.metrics).transactionMetrics
      #expect(transactions.map { ($0.response as? HTTPURLResponse)?.statusCode } == [401, 200])
      #expect(transactions.map { $0.request.value(forHTTPHeaderField: "Authorization") } == [nil, nil])
      #expect(transactions.map { $0.request.value(forHTTPHeaderField: "X-Plain") } == ["kept", "kept"])
      #expect(transactions.map(\.isReusedConnection) == [false, true])
      #expect(task.currentRequest?.value(forHTTPHeaderField: "Authorization") == nil)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func errorsShowNoPassword(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/", reply: Reply(faults: [.disconnectBeforeHeaders]))
      let session = URLSession(configuration: configuration)
      let error = try #require(await session.failure(of: server.url(user: "user", password: "geheim")))
      #expect(!"\(error) \(error.userInfo) \(error.localizedDescription)".contains("geheim"))
      #expect(error.failingURL?.user == "user")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func manyLoadsAtOnceAreAllLetIn(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<20 { group.addTask { try await session.text(from: server.url("/\(index)")).1.statusCode } }
        for try await status in group { #expect(status == 200) }
      }
      #expect(server.requestCount <= 40)
      session.invalidateAndCancel()
    }
  }
}
