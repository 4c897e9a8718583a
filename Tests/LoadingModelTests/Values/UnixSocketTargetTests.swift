import Foundation
import LoadingModel
import Testing

/// URLs that name a Unix socket.
@Suite struct UnixSocketTargetTests {
  private func taken(_ text: String) -> Target? { Target(URL(string: text)) }

  @Test(arguments: [("http", "http", 80), ("HTTPS", "https", 443), ("ws", "ws", 80), ("wss", "wss", 443)])
  func schemesAreThoseOfHTTP(_ scheme: String, _ plain: String, _ port: Int) throws {
    let target = try #require(taken("\(scheme)+unix://%2Frun%2FMy.sock/v1/info?all#top"))
    #expect(target.origin.scheme == plain && target.origin.port == port)
    #expect(target.origin.socketPath == "/run/My.sock" && target.origin.serverName == "localhost" && target.authority == "localhost")
    #expect(target.pathAndQuery == "/v1/info?all" && target.fragment == "top")
  }

  @Test func eachPathIsAnOriginOfItsOwn() throws {
    let one = try #require(taken("http+unix://%2Frun%2Fa.sock/"))
    #expect(taken("http+unix://%2frun%2Fa%2Esock/x")?.origin == one.origin)
    for other in ["http+unix://%2Frun%2FA.sock/", "http+unix://%40run%2Fa.sock/", "https+unix://%2Frun%2Fa.sock/", "http://localhost/"] {
      #expect(taken(other)?.origin != one.origin)
      #expect(taken(other)?.ownAuthority != one.ownAuthority || taken(other)?.origin.scheme != "http")
    }
    // No part of it is a domain.
    #expect(!one.origin.host.contains(".") && one.origin.host == one.origin.host.lowercased())
    #expect(taken("http://%2Frun%2Fa.sock/") == nil && taken("http://a.example/")?.origin.socketPath == nil)
    #expect(taken("http://a.example/")?.origin.serverName == "a.example")
  }

  /// Only the scheme says that a URL is of a socket: an app may allow schemes by a list.
  @Test(arguments: ["http://[%252Frun%252Fdocker.sock]/x", "https://[%2540name]/", "ws://[%252Frun]/", "ftp://[%252Frun]/"])
  func otherSchemesReachNoSocket(_ text: String) {
    #expect(taken(text) == nil)
    #expect(!Origin(scheme: "http", host: "%2frun%2fa%2esock", port: 80).isUnixSocket)
    #expect(Origin(scheme: "http", host: "%2frun%2fa%2esock", port: 80).socketPath == nil)
  }

  @Test func abstractSocketsAndLoginsAreRead() throws {
    let target = try #require(taken("http+unix://me:secret@%40docker/"))
    #expect(target.origin.socketPath == "@docker" && target.user == "me" && target.password == "secret")
    #expect(taken("http+unix://%2Frun%2Fa:8080/")?.authority == "localhost:8080")
  }

  @Test(arguments: [
    "http+unix:///run/docker.sock", "http+unix://docker.sock/", "http+unix://%2F/", "http+unix://%40/", "http+unix://%2Fa%00b/",
    "ftp+unix://%2Frun%2Fa/", "http+unix://%2Fa%FF/",
  ]) func whatNamesNoSocketIsNone(_ text: String) { #expect(taken(text) == nil) }
}
