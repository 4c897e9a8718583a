import Foundation
import LoadingModel
import ProtocolRules
import Testing

struct DigestTests {
  private func challenge(_ text: String) throws -> DigestChallenge {
    let fields = AuthenticateField.all("WWW-Authenticate", in: HeaderFields([("WWW-Authenticate", "Digest " + text)]))
    let field = try #require(fields.first)
    return try #require(DigestChallenge(field))
  }

  private func authorization(
    _ text: String, cnonce: String, _ method: String = "GET", _ uri: String = "/dir/index.html", user: String = "Mufasa",
    password: String, bodyHash: String? = nil
  ) throws -> AuthenticateField {
    var session = DigestSession(try challenge(text), clientNonce: cnonce)
    let request = AuthorizedRequest(method: method, origin: Origin(scheme: "http", host: "h.test", port: 80), uri: uri)
    let sent = session.authorization(request, user: user, password: password, bodyHash: bodyHash)
    let value = try #require(sent)
    return try #require(AuthenticateField.all("A", in: HeaderFields([("A", value)])).first)
  }

  private static let rfc7616 =
    #"realm="http-auth@example.org", qop="auth, auth-int", nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS""#

  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func matchesTheExamplesOfRFC7616(_ algorithm: String, _ response: String) throws {
    // RFC 7616, 3.9.1.
    let field = try authorization(
      DigestTests.rfc7616 + ", algorithm=\(algorithm)", cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ", password: "Circle of Life")
    #expect(field["response"] == response)
    #expect(field["username"] == "Mufasa")
    #expect(field["nc"] == "00000001")
    #expect(field["qop"] == "auth")
    #expect(field["algorithm"] == algorithm)
    #expect(field["uri"] == "/dir/index.html")
    #expect(field["opaque"] == "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS")
  }

  @Test func matchesTheExampleOfRFC2617() throws {
    // RFC 2617, 3.5.
    let field = try authorization(
      #"realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41""#,
      cnonce: "0a4f113b", password: "Circle Of Life")
    #expect(field["response"] == "6629fae49393a05397450978507c4ef1")
    #expect(field["algorithm"] == nil)
  }

  @Test func withoutQualityItIsAsInRFC2069() throws {
    let field = try authorization(
      #"realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093""#, cnonce: "x", password: "CircleOfLife")
    #expect(field["response"] == "1949323746fe6a43ef61f9606e7febea")
    #expect(field["nc"] == nil)
    #expect(field["cnonce"] == nil)
    #expect(field["qop"] == nil)
  }

  @Test func userHashAndNamesBeyondASCII() throws {
    // RFC 7616, 3.9.2: the hash of "Jäsøn Doe:api@example.org" with SHA-512-256.
    let text =
      #"realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", userhash=true, charset=UTF-8"#
    let field = try authorization(
      text, cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+niz/sm", "GET", "/doe.json", user: "J\u{E4}s\u{F8}n Doe", password: "Secret, or not?")
    #expect(field["userhash"] == "true")
    #expect(field["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
    #expect(field["response"] == "7a4e1192babbba02e91182d2895bfdbf7adafc6e48d4e517ca301974843d840c")
    let plain = text.replacing("userhash=true", with: "userhash=false")
    let extended = try authorization(plain, cnonce: "c", user: "J\u{E4}s\u{F8}n Doe", password: "p")
    #expect(extended["username*"] == "UTF-8''J%C3%A4s%C3%B8n%20Doe")
    #expect(extended["username"] == nil)
    // A server of RFC 2617's age knows no extended notation.
    #expect(try authorization("realm=r, nonce=n", cnonce: "c", user: "J\u{E4}s\u{F8}n", password: "p")["username"] == "J\u{E4}s\u{F8}n")
  }

  @Test(arguments: [
    ("MD5-sess", "856b1734332760d65f59f752b7eac4ff"), ("SHA-256-sess", "18cfbee7c5fab0cb221815c8af9cf9c0ad1633c44f7fbc028981ff1006f04266"),
    ("sha-512-256-SESS", "9305f9f93d5796f4a4c3465971f1f2ea95444ca9ac7a96a7d2bfb03e33d1474f"),
  ])
  func sessionAlgorithmsCoverTheNonces(_ algorithm: String, _ response: String) throws {
    let field = try authorization(
      #"realm="r", nonce="n", qop=auth, algorithm=\#(algorithm)"#, cnonce: "c", "POST", "/x?y=1", user: "u", password: "p")
    #expect(field["response"] == response)
    #expect(field["algorithm"] == algorithm)
  }

  @Test func integrityCoversTheBody() throws {
    let hash = DigestAlgorithm.md5.hash("content")
    let field = try authorization(
      #"realm="r", nonce="n", qop="auth-int""#, cnonce: "c", "POST", "/x", user: "u", password: "p", bodyHash: hash)
    #expect(field["qop"] == "auth-int")
    #expect(field["response"] == "d0069b3881b7ace06ad3a8b2481ee43d")
  }

  @Test func countsEachUseOfANonceAndBeginsAnewWithTheNext() throws {
    var session = DigestSession(try challenge("realm=r, nonce=n, qop=auth"), clientNonce: "c")
    let request = AuthorizedRequest(method: "GET", origin: Origin(scheme: "http", host: "h.test", port: 80), uri: "/")
    func counter() -> String? {
      let value = session.authorization(request, user: "u", password: "p") ?? ""
      return AuthenticateField.all("A", in: HeaderFields([("A", value)])).first?["nc"]
    }
    for _ in 0..<15 { _ = counter() }
    #expect(counter() == "00000010")
    session.renew(nonce: "m", clientNonce: "d")
    #expect(counter() == "00000001")
  }

  @Test func nextNonceIsReadFromAuthenticationInfo() {
    let headers = HeaderFields([("Authentication-Info", #"rspauth="abc", nextnonce="n, 2", qop=auth"#)])
    #expect(DigestSession.nextNonce(in: headers) == "n, 2")
    #expect(DigestSession.nextNonce(in: HeaderFields([("Authentication-Info", "qop=auth")])) == nil)
    #expect(DigestSession.nextNonce(in: HeaderFields()) == nil)
  }

  @Test func quotesInNamesAreEscaped() throws {
    let field = try authorization(#"realm="a \"b\" \\c", nonce="n""#, cnonce: "c", user: #"x"y\z"#, password: "p")
    #expect(field.realm == #"a "b" \c"#)
    #expect(field["username"] == #"x"y\z"#)
  }

  @Test func namesWithControlsAreRefused() throws {
    var session = DigestSession(try challenge("realm=r, nonce=n"), clientNonce: "c")
    let request = AuthorizedRequest(method: "GET", origin: Origin(scheme: "http", host: "h.test", port: 80), uri: "/")
    #expect(session.authorization(request, user: "a\r\nX: y", password: "p") == nil)
  }

  @Test(arguments: ["realm=r", "realm=r, nonce=n, algorithm=SHA-1", "realm=r, nonce=n, qop=\"auth-conf\""])
  func challengeThatCannotBeAnsweredIsNone(_ text: String) throws {
    let field = try #require(AuthenticateField.all("A", in: HeaderFields([("A", "Digest " + text)])).first)
    #expect(DigestChallenge(field) == nil)
  }

  @Test func readsStaleDomainAndAlgorithm() throws {
    let read = try challenge(#"realm=r, nonce=n, stale=TRUE, domain="/a http://h.test/b", algorithm="MD5""#)
    #expect(read.isStale)
    #expect(read.domain == ["/a", "http://h.test/b"])
    #expect(read.algorithm == .md5)
    #expect(read.quality == .none)
  }

  @Test func domainLimitsTheScopeToItsOwnServer() throws {
    let url = try #require(URL(string: "http://h.test/x/y"))
    let scope = AuthenticationScope.digest(try challenge(#"realm=r, nonce=n, domain="/a b http://h.test/c http://other.test/d""#), at: url)
    #expect(scope.depth(of: "/a/1") != nil)
    #expect(scope.depth(of: "/x/b") != nil)
    #expect(scope.depth(of: "/c?q") != nil)
    #expect(scope.depth(of: "/d") == nil)
    #expect(AuthenticationScope.digest(try challenge("realm=r, nonce=n"), at: url) == .origin)
  }

  @Test(arguments: [0, 1, 3, 55, 56, 111, 112, 119, 120, 127, 128, 200, 1000])
  func sha512Part256MatchesForEveryPadding(_ length: Int) {
    let expected = DigestTests.knownHashes[length]
    #expect(DigestAlgorithm.sha512Part256.hash(String(repeating: "a", count: length)) == expected)
  }

  private static let knownHashes: [Int: String] = [
    0: "c672b8d1ef56ed28ab87c3622c5114069bdd3ad7b8f9737498d0c01ecef0967a",
    1: "455e518824bc0601f9fb858ff5c37d417d67c2f8e0df2babe4808858aea830f8",
    3: "98820cb49789c71591cf13d42961396dac416444004014ad40b9248f25eb9a84",
    55: "f6513468f05e7cec7d52fc337ef79dfa7c82520268d3aeba4002ead9a5642916",
    56: "baa8bd7fb02a11878c6a1d5400f06ec5d96cd6f566da032f8dcbb602beea4ca5",
    111: "0239e429f98d0ed61ee8e2a7c30afe98c1c3a80ce5dff62a107e9c538f7632ce",
    112: "9216b5303edb66504570bee90e48ea5beaa5e9fe9f760bbd3e0460559fc005f6",
    119: "6cb452f832033489de69b49d6a8e8a1e0018092f1986c132287f4ca4ab3ee545",
    120: "2e6ca4d879d367d7708701ed2e448540d04a6b8fcd2b0806278cf36090b9ba2b",
    127: "2fe3b2a6ee7e12f6fe4ba82166541ad9b4ed882c493581cbe300d68f3757b778",
    128: "b88f97e274f9c1d49f181c8cbd01a9c74930ad055a46ac4499a1d601f1c80bf2",
    200: "19b1e37317d7fd3d7651f397005e31f154ef4912d1345743d2d5889aaca28996",
    1000: "40eb4a70d4d69815407a9e272f0101cd67e3d11262a4a0bfc087712749c7fb53",
  ]
}
