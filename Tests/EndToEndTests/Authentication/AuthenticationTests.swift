import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

extension TestServer {
  /// Answers `path` with its text to clients whose Basic credentials `accepts` lets pass, and with a 401 to others.
  func protect(_ path: String, realm: String = "r", _ accepts: @escaping @Sendable (String) -> Bool = { $0 == basic("u", "p") }) {
    route(path) { request in
      guard let sent = request.headers["Authorization"], accepts(sent) else {
        return Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"\(realm)\""], body: .text("denied"))
      }
      return .text("secret of \(request.path)")
    }
  }

  /// The `Authorization` fields of all requests so far; "-" where there was none.
  var authorizations: [String] { requests.map { $0.headers["Authorization"] ?? "-" } }
}

/// The value of `Authorization` for Basic.
func basic(_ user: String, _ password: String) -> String { "Basic " + Data("\(user):\(password)".utf8).base64EncodedString() }

@Suite(.timeLimit(.minutes(10))) struct AuthenticationTests {
  @Test(arguments: Wire.allCases)
  func delegateIsAskedOnceAndTheLoginHolds(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/a/b")).0 == "secret of /a/b")
      #expect(delegate.asked == [.basic()])
      #expect(try await session.text(from: server.url("/a/c?d")).0 == "secret of /a/c")
      #expect(try await session.text(from: server.url("/a/d/e")).0 == "secret of /a/d/e")
      #expect(delegate.asked.count == 1)
      #expect(delegate.sessionLevelCount == 0)
      #expect(server.authorizations == ["-", basic("u", "p"), basic("u", "p"), basic("u", "p")])
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func refusalWhoseBodyDoesNotEndIsAnswered(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/") { request in
        if request.headers["Authorization"] == basic("u", "p") { return .text("secret") }
        let challenge: HeaderList = ["WWW-Authenticate": "Basic realm=\"r\""]
        return Reply(401, headers: challenge, body: .text("denied"), faults: [.stallAfter(bodyBytes: 3)])
      }
      let session = URLSession(configuration: configuration, delegate: ChallengeAnswerer("u", "p"), delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "secret")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func withoutAnybodyToAskThe401IsTheResponse(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      for storage in [URLCredentialStorage(), nil] {
        configuration.urlCredentialStorage = storage
        let session = URLSession(configuration: configuration)
        let (text, response) = try await session.text(from: server.url("/"))
        #expect(response.statusCode == 401)
        #expect(text == "denied")
        #expect(response.value(forHTTPHeaderField: "WWW-Authenticate") == "Basic realm=\"r\"")
        session.invalidateAndCancel()
      }
      #expect(server.requestCount == 2)
    }
  }

  @Test(arguments: Wire.allCases, ["Basic", "Basic charset=\"UTF-8\"", "Digest nonce=\"n\""])
  func hostIsTheRealmOfAChallengeWithoutOne(_ wire: Wire, _ field: String) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { $0.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": field]) : .text("in") }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "in")
      #expect(delegate.asked.map(\.realm) == [server.url().host])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.secure) func challengeTellsWhoAsksAndWhatFor(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*", realm: "caf\u{E9} \\\"x\\\"")
      let port = server.port
      let delegate = ChallengeAnswerer { challenge in
        let space = challenge.protectionSpace
        #expect(space.host == "127.0.0.1" && space.port == port && space.protocol == NSURLProtectionSpaceHTTPS)
        #expect(space.realm == "caf\u{E9} \"x\"" && !space.isProxy() && space.receivesCredentialSecurely)
        #expect(challenge.error == nil && challenge.sender == nil)
        return (.useCredential, nil)
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).1.statusCode == 401)
      #expect(delegate.asked.count == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func credentialOfTheURLIsTriedWithoutAsking(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*") { $0 == basic("us er", "p@ss") }
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url("/x", user: "us er", password: "p@ss")).0 == "secret of /x")
      // Another user's URL isn't served with what is known.
      #expect(try await session.text(from: server.url("/y", user: "other", password: "x")).1.statusCode == 401)
      #expect(server.authorizations == ["-", basic("us er", "p@ss"), "-", basic("other", "x")])
      session.invalidateAndCancel()
    }
  }

  /// RFC 7616, 5.7: an attacker that replaces the challenge on the way would learn the password.
  @Test(arguments: Wire.allCases) func credentialOfTheURLIsNotShownByAWeakerMethodUnasked(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/a") { request in
        let sent = request.headers["Authorization"] ?? ""
        if sent.hasPrefix("Basic ") { return .text("basic") }
        // Digest is asked for first, and refused for Basic.
        return Reply(401, headers: ["WWW-Authenticate": sent.isEmpty ? #"Digest realm="r", nonce="n", qop="auth""# : "Basic realm=\"r\""])
      }
      server.route("/b") { request in
        request.headers["Authorization"] == nil ? Reply(401, headers: ["WWW-Authenticate": "Basic realm=\"s\""]) : .text("basic")
      }
      let urls = ["/a", "/b"].map { server.url($0, user: "u", password: "p") }
      let session = URLSession(configuration: configuration)
      for url in urls { #expect(try await session.text(from: url).1.statusCode == 401) }
      #expect(!server.authorizations.contains { $0.hasPrefix("Basic ") })
      // The app may decide so.
      let delegate = ChallengeAnswerer { challenge in
        challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic
          ? (.useCredential, challenge.proposedCredential) : (.performDefaultHandling, nil)
      }
      for url in urls { #expect(try await session.data(from: url, delegate: delegate).0 == Data("basic".utf8)) }
      #expect(delegate.asked == [.digest(proposed: "u"), .basic(failures: 1, proposed: "u")])
      session.invalidateAndCancel()
      // Without Digest before, Basic is what the server wants.
      let other = URLSession(configuration: configuration)
      #expect(try await other.text(from: urls[1]).0 == "basic")
      other.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func storedCredentialIsProposedAndUsedByDefault(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let storage = URLCredentialStorage()
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: server.url().scheme, realm: "r",
        authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
      storage.setDefaultCredential(URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
      configuration.urlCredentialStorage = storage
      let delegate = ChallengeAnswerer { _ in (.performDefaultHandling, nil) }
      for asked in [nil, delegate] {
        let session = URLSession(configuration: configuration, delegate: asked, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/")).1.statusCode == 200)
        session.invalidateAndCancel()
      }
      #expect(delegate.asked == [.basic(proposed: "u")])
    }
  }

  @Test(arguments: Wire.allCases) func refusedCredentialCountsAndIsProposedAgain(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer { challenge in
        let password = challenge.previousFailureCount == 2 ? "p" : "wrong"
        return (.useCredential, URLCredential(user: "u", password: password, persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).1.statusCode == 200)
      #expect(delegate.asked == [.basic(), .basic(failures: 1, proposed: "u"), .basic(failures: 2, proposed: "u")])
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func refusedDefaultIsNotTriedTwice(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let session = URLSession(configuration: configuration)
      #expect(try await session.text(from: server.url(user: "u", password: "wrong")).1.statusCode == 401)
      #expect(server.requestCount == 2)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func cancellingTheChallengeCancelsTheLoad(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer { _ in (.cancelAuthenticationChallenge, nil) }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(await session.failure(of: server.url("/"))?.code == .cancelled)
      #expect(server.requestCount == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func rejectionLeadsToTheNextChallengeAndThenToThe401(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.route("/*") { request in
        if request.headers["Authorization"] == basic("u", "p") { return .text("in") }
        return Reply(401, headers: ["WWW-Authenticate": "Basic realm=r, Digest realm=r, nonce=n, Bearer"], body: .text("denied"))
      }
      let choosy = ChallengeAnswerer { challenge in
        guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
          return (.rejectProtectionSpace, nil)
        }
        return (.useCredential, URLCredential(user: "u", password: "p", persistence: .none))
      }
      let refuser = ChallengeAnswerer { _ in (.rejectProtectionSpace, nil) }
      for (delegate, status) in [(choosy, 200), (refuser, 401)] {
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        #expect(try await session.text(from: server.url("/")).1.statusCode == status)
        #expect(delegate.asked == [.digest(), .basic()])
        session.invalidateAndCancel()
      }
      #expect(server.requestCount == 3)
    }
  }

  @Test(arguments: ["Bearer realm=x", "", "HOBA", "Digest realm=x, nonce=1, algorithm=SHA-7"], Wire.allCases)
  func schemeThatNobodyKnowsIsTheAppsAffair(_ challenge: String, _ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.enqueue(Reply(401, headers: ["WWW-Authenticate": challenge], body: .text("denied")))
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "denied")
      #expect(delegate.asked.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func appsOwnAuthorizationStandsUntilItIsRefused(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*") { $0 == basic("u", "p") || $0 == "Bearer good" }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      var request = URLRequest(url: server.url("/"))
      request.setValue("Bearer good", forHTTPHeaderField: "Authorization")
      #expect(try await session.text(for: request).1.statusCode == 200)
      #expect(delegate.asked.isEmpty)
      request.setValue("Bearer bad", forHTTPHeaderField: "Authorization")
      #expect(try await session.text(for: request).1.statusCode == 200)
      request.setValue("Bearer good", forHTTPHeaderField: "Authorization")
      #expect(try await session.text(for: request).1.statusCode == 200)
      #expect(server.authorizations == ["Bearer good", "Bearer bad", basic("u", "p"), "Bearer good"])
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func conversationThatNeverEndsIsEnded(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*") { _ in false }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).0 == "denied")
      #expect(server.requestCount == 101)
      #expect(server.acceptedConnections == 1)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func taskCanBeCancelledWhileItsAppThinks(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer { _ in nil }
      let log = CompletionLog()
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let task = session.dataTask(with: server.url("/"), completionHandler: log.handler)
      task.resume()
      await delegate.wasAsked.wait()
      task.cancel()
      #expect(await log.call().code == NSURLErrorCancelled)
      session.invalidateAndCancel()
    }
  }
}
