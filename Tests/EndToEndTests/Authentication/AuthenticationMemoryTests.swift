import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What a session keeps of a login, and which requests it is sent with.
@Suite(.timeLimit(.minutes(10))) struct AuthenticationMemoryTests {
  @Test(arguments: Wire.allCases) func credentialForOneRequestIsNotKept(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let storage = URLCredentialStorage()
      configuration.urlCredentialStorage = storage
      let delegate = ChallengeAnswerer("u", "p", .none)
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for _ in 0..<2 { #expect(try await session.text(from: server.url("/")).1.statusCode == 200) }
      #expect(delegate.asked == [.basic(), .basic()])
      #expect(storage.allCredentials.isEmpty)
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func credentialForTheSessionIsStoredOnceItHasWorked(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let storage = URLCredentialStorage()
      configuration.urlCredentialStorage = storage
      let delegate = ChallengeAnswerer { challenge in
        let isFirst = challenge.previousFailureCount == 0
        return (.useCredential, URLCredential(user: isFirst ? "wrong" : "u", password: "p", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).1.statusCode == 200)
      let (space, byUser) = try #require(storage.allCredentials.first)
      #expect(space.realm == "r" && space.port == server.port)
      #expect(byUser.keys.sorted() == ["u"])
      #expect(storage.defaultCredential(for: space)?.password == "p")
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func basicIsSentUnaskedOnlyInItsFolder(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/private/*")
      server.protect("/other/*", realm: "s")
      server.route("/open", reply: .text("open"))
      let delegate = ChallengeAnswerer { challenge in
        guard challenge.protectionSpace.realm == "r" else { return (.performDefaultHandling, nil) }
        return (.useCredential, URLCredential(user: "u", password: "p", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for path in ["/private/a/1", "/open", "/private/b", "/other/x", "/private/c"] { _ = try await session.text(from: server.url(path)) }
      let known = basic("u", "p")
      // The second folder of the same realm costs a round trip, but no question.
      #expect(server.authorizations == ["-", known, "-", "-", known, "-", known])
      #expect(delegate.asked.map(\.realm) == ["r", "s"])
      session.invalidateAndCancel()
    }
  }

  /// A server can make up a realm for each request.
  @Test(arguments: Wire.allCases) func spacesOfOneServerAreKeptUpToALimit(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      let count = 33
      for number in 0..<count { server.protect("/\(number)/*", realm: "r\(number)") }
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      for number in 0..<count { #expect(try await session.text(from: server.url("/\(number)/a")).1.statusCode == 200) }
      #expect(server.requestCount == 2 * count)
      let known = basic("u", "p")
      // The oldest was forgotten, and is asked for as in the beginning; it is the newest now.
      for (path, sent) in [("/1/b", [known]), ("/32/b", [known]), ("/0/b", ["-", known]), ("/0/c", [known]), ("/1/c", ["-", known])] {
        let before = server.requestCount
        #expect(try await session.text(from: server.url(path)).1.statusCode == 200)
        #expect(Array(server.authorizations.dropFirst(before)) == sent, "\(path)")
      }
      session.invalidateAndCancel()
    }
  }

  @Test(arguments: Wire.allCases) func resetForgetsTheLogin(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      let delegate = ChallengeAnswerer("u", "p")
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      _ = try await session.text(from: server.url("/"))
      await session.reset()
      _ = try await session.text(from: server.url("/"))
      #expect(delegate.asked == [.basic(), .basic()])
      session.invalidateAndCancel()
    }
  }

  @Test func resetForgetsSynchronizableCredentialsToo() async throws {
    let configuration = URLSessionConfiguration.testing()
    let storage = URLCredentialStorage()
    configuration.urlCredentialStorage = storage
    let space = URLProtectionSpace(
      host: "h.test", port: 443, protocol: NSURLProtectionSpaceHTTPS, realm: "r", authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    storage.set(URLCredential(user: "u", password: "p", persistence: .synchronizable), for: space)
    #expect(!storage.allCredentials.isEmpty)
    let session = URLSession(configuration: configuration)
    await session.reset()
    #expect(storage.allCredentials.isEmpty)
    session.invalidateAndCancel()
  }

  @Test(arguments: Wire.allCases) func otherSessionsOwnNothingOfIt(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*")
      configuration.urlCredentialStorage = nil
      let delegate = ChallengeAnswerer("u", "p")
      for _ in 0..<2 {
        let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        _ = try await session.text(from: server.url("/"))
        session.invalidateAndCancel()
      }
      #expect(delegate.asked == [.basic(), .basic()])
    }
  }

  @Test(arguments: Wire.allCases) func passwordThatStoppedWorkingIsAskedForAgain(_ wire: Wire) async throws {
    try await wire.serve { server, configuration async throws in
      server.protect("/*") { $0 == basic("u", "old") }
      let delegate = ChallengeAnswerer { challenge in
        (.useCredential, URLCredential(user: "u", password: challenge.previousFailureCount == 0 ? "old" : "new", persistence: .forSession))
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await session.text(from: server.url("/")).1.statusCode == 200)
      server.protect("/*") { $0 == basic("u", "new") }
      #expect(try await session.text(from: server.url("/")).1.statusCode == 200)
      #expect(delegate.asked == [.basic(), .basic(failures: 1, proposed: "u")])
      #expect(server.authorizations.suffix(2) == [basic("u", "old"), basic("u", "new")])
      session.invalidateAndCancel()
    }
  }
}
