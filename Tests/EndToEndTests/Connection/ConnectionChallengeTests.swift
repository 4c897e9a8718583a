import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10))) struct ConnectionChallengeTests {
  private static let basicMethod = NSURLAuthenticationMethodHTTPBasic

  @available(*, deprecated)
  @Test func senderTakesTheCredential() async throws {
    try await TestServer.with { server async throws in
      server.protect("/*", realm: "\(UUID())")
      let recorder = ConnectionRecorder()
      recorder.challenge = { challenge in
        #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
        challenge.sender?.use(URLCredential(user: "u", password: "p", persistence: .none), for: challenge)
      }
      try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
      await recorder.ended()
      #expect(
        recorder.messages == [
          .willSend(path: "/a", redirect: nil), .challenge(method: Self.basicMethod, failures: 0), .response(200), .data, .willCache,
          .finished,
        ])
    }
  }

  @available(*, deprecated)
  @Test func answerMayComeLaterAndFromAnotherThread() async throws {
    try await TestServer.with { server async throws in
      server.protect("/*", realm: "\(UUID())")
      let recorder = ConnectionRecorder()
      recorder.challenge = { challenge in
        Thread.detachNewThread { challenge.sender?.continueWithoutCredential(for: challenge) }
      }
      try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
      await recorder.ended()
      #expect(recorder.messages.suffix(3) == [.response(401), .data, .finished])
    }
  }

  @available(*, deprecated)
  @Test func cancelledChallengeEndsTheConnection() async throws {
    try await TestServer.with { server async throws in
      server.protect("/*", realm: "\(UUID())")
      let recorder = ConnectionRecorder()
      recorder.challenge = { $0.sender?.cancel($0) }
      try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
      await recorder.ended()
      #expect(recorder.messages.last == .failed(URLError.cancelled.rawValue))
    }
  }

  @available(*, deprecated)
  @Test func methodsOfEarlierSystemsAreAskedWithoutTheNewOne() async throws {
    final class Earlier: NSObject, NSURLConnectionDataDelegate, @unchecked Sendable {
      // @unchecked: used on one queue, and after the signal.
      var asked: [String] = []
      var status = 0
      let end = Signal()

      func connection(_: NSURLConnection, canAuthenticateAgainstProtectionSpace space: URLProtectionSpace) -> Bool {
        asked.append(space.authenticationMethod)
        return true
      }

      func connection(_: NSURLConnection, didReceive challenge: URLAuthenticationChallenge) {
        asked.append("challenge")
        challenge.sender?.use(URLCredential(user: "u", password: "p", persistence: .none), for: challenge)
      }

      func connection(_: NSURLConnection, didReceive response: URLResponse) {
        status = (response as? HTTPURLResponse)?.statusCode ?? 0
      }

      func connectionDidFinishLoading(_: NSURLConnection) { end.send() }
    }
    try await TestServer.with { server async throws in
      server.protect("/*", realm: "\(UUID())")
      let delegate = Earlier()
      try makeConnection(URLRequest(url: server.url("/a")), delegate).start()
      await delegate.end.wait()
      #expect(delegate.asked == [Self.basicMethod, "challenge"] && delegate.status == 200)
    }
  }

  @available(*, deprecated)
  @Test func delegateCanKeepTheCredentialStorageOut() async throws {
    try await TestServer.with { server async throws in
      let realm = "\(UUID())"
      server.protect("/*", realm: realm)
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: NSURLProtectionSpaceHTTP, realm: realm, authenticationMethod: Self.basicMethod)
      let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
      URLCredentialStorage.shared.setDefaultCredential(credential, for: space)
      defer { URLCredentialStorage.shared.remove(credential, for: space) }
      for usesStorage in [false, true] {
        let recorder = ConnectionRecorder()
        recorder.usesStorage = usesStorage
        try makeConnection(URLRequest(url: server.url("/a")), recorder).start()
        await recorder.ended()
        #expect(recorder.messages.contains(.response(usesStorage ? 200 : 401)))
      }
    }
  }

  @available(*, deprecated)
  @Test(arguments: [false, true]) func serverTrustIsTheDelegatesToDecide(_ accepts: Bool) async throws {
    try await TestServer.with(Wire.tls.options()) { server async throws in
      server.route("/", reply: .text("hello"))
      let recorder = ConnectionRecorder()
      recorder.challenge = { challenge in
        if accepts, let trust = challenge.protectionSpace.serverTrust {
          challenge.sender?.use(URLCredential(trust: trust), for: challenge)
        } else {
          challenge.sender?.performDefaultHandling(for: challenge)
        }
      }
      try makeConnection(URLRequest(url: server.url("/")), recorder).start()
      await recorder.ended()
      #expect(recorder.messages.contains(.challenge(method: NSURLAuthenticationMethodServerTrust, failures: 0)))
      #expect(accepts == (recorder.messages.last == .finished))
    }
  }
}
