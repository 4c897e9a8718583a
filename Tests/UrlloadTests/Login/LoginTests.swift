import Foundation
import Testing
import URLLoadingSystem

@testable import urlload

@Suite(.timeLimit(.minutes(10))) struct LoginTests {
  private func login(_ arguments: String..., password: String = "asked") throws -> Login? {
    try Login(try options(arguments)) { _ throws(ToolFailure) in password }
  }

  private func options(_ arguments: [String]) throws -> LoginOptions {
    var options = LoginOptions()
    _ = try CommandLineParser([OptionSection(title: "", entries: LoadTable.loginEntries)]).parse(arguments, into: &options)
    try options.validate()
    return options
  }

  private func challenge(
    _ method: String, host: String = "a.example", port: Int = 443, protocol name: String = NSURLProtectionSpaceHTTPS, failures: Int = 0
  ) -> URLAuthenticationChallenge {
    let space = URLProtectionSpace(host: host, port: port, protocol: name, realm: "realm", authenticationMethod: method)
    return URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: nil, previousFailureCount: failures, failureResponse: nil, error: nil, sender: Sender())
  }

  private final class Sender: NSObject, URLAuthenticationChallengeSender {
    func use(_ credential: URLCredential, for challenge: URLAuthenticationChallenge) {}
    func continueWithoutCredential(for challenge: URLAuthenticationChallenge) {}
    func cancel(_ challenge: URLAuthenticationChallenge) {}
  }

  private let url = URL(string: "https://a.example/path")

  @Test func passwordIsAskedForOnlyWhereItIsMissing() throws {
    #expect(try login("-u", "me:pass:word")?.password == "pass:word")
    #expect(try login("-u", "me:")?.password == "")
    #expect(try login("-u", "me")?.password == "asked")
    #expect(try login() == nil)
  }

  @Test func loginsOfFTPStandInTheURL() throws {
    let login = try #require(try login("-u", "ann:p@ss/w"))
    func joined(_ text: String) throws -> String { login.joined(to: try #require(URL(string: text))).absoluteString }
    #expect(try joined("ftp://a.example/f%20g;type=i") == "ftp://ann:p%40ss%2Fw@a.example/f%20g;type=i")
    #expect(try joined("FTPS://[::1]:990/") == "FTPS://ann:p%40ss%2Fw@[::1]:990/")
    #expect(try joined("ftp://bob@a.example/") == "ftp://bob@a.example/")
    #expect(try joined("ftp://ann:other@a.example/") == "ftp://ann:p%40ss%2Fw@a.example/")
    #expect(try joined("https://a.example/") == "https://a.example/")
  }

  @Test(arguments: [
    ["-u", ":x"], ["-u", ""], ["-u", "me:x", "--basic", "--digest"], ["--key", "k.pem"], ["-k", "--cacert", "ca.pem"],
  ]) func contradictionsAreUsageErrors(arguments: [String]) {
    #expect(throws: (any Error).self) { try options(arguments) }
  }

  @Test func basicAloneIsSentUnasked() throws {
    #expect(try login("-u", "me:pass")?.unaskedField == nil)
    #expect(try login("-u", "me:pass", "--digest")?.unaskedField == nil)
    #expect(try login("-u", "Aladdin:open sesame", "--basic")?.unaskedField == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
  }

  @Test func loginThatWasSentUnaskedIsNotGivenOnceMore() throws {
    let answers = ChallengeAnswers(login: try login("-u", "me:pass", "--basic"))
    let basic = challenge(NSURLAuthenticationMethodHTTPBasic)
    let refused = answers.answer(basic, for: url, sent: answers.unaskedField(for: url))
    #expect(refused.0 == .useCredential && refused.1 == nil)
    // Another field was refused.
    for sent in ["Bearer t", nil] { #expect(answers.answer(basic, for: url, sent: sent).1?.user == "me") }
  }

  @Test func loginShowsNothingOfItself() throws {
    let login = try #require(try login("-u", "me:s3cret"))
    #expect(!"\(login) \(String(reflecting: login))".contains("s3cret"))
    var dumped = ""
    dump(ChallengeAnswers(login: login), to: &dumped)
    #expect(!dumped.contains("s3cret"))
  }

  @Test func loginGoesToTheHostThatWasAskedForAndNowhereElse() throws {
    let answers = ChallengeAnswers(login: try login("-u", "me:pass"))
    let digest = NSURLAuthenticationMethodHTTPDigest
    #expect(answers.answer(challenge(digest), for: url).1?.user == "me")
    #expect(answers.answer(challenge(digest), for: URL(string: "http://A.example/")).1?.user == "me")
    let elsewhere = [
      challenge(digest, host: "b.example"), challenge(digest, port: 8443),
      challenge(digest, port: 80, protocol: NSURLProtectionSpaceHTTP),
    ]
    for challenge in elsewhere {
      let (disposition, credential) = answers.answer(challenge, for: url)
      #expect(disposition == .performDefaultHandling)
      #expect(credential == nil)
    }
    // Nor does what the URL has follow a login that was refused.
    let (disposition, credential) = answers.answer(challenge(digest, failures: 1), for: url)
    #expect(disposition == .useCredential)
    #expect(credential == nil)
  }

  /// What curl 7.88 sends.
  @Test(
    arguments: [
      ("", "alice:ap", "alice:ap"), ("bob@", "bob:bp", "bob:bp"), ("b%6Fb@", "bob:bp", "bob:bp"), ("bob:up@", "bob:bp", "bob:up"),
      ("bob:@", "bob:bp", "bob:"), (":up@", "alice:ap", ":up"), ("carol@", "carol:", "carol:"), ("carol:cp@", "carol:cp", "carol:cp"),
    ] as [(String, String, String)])
  func loginOfAFileAndThatOfTheURLAreChosenAsCurlDoes(user: String, file: String, optional: String) throws {
    let text = "machine a.example login alice password ap\nmachine a.example login bob password bp\ndefault login carol password dp"
    let url = try #require(URL(string: "https://\(user)a.example/"))
    for (yields, expected) in [(false, file), (true, optional)] {
      let answers = ChallengeAnswers(netrc: NetrcFile(text, scheme: .basic, yieldsToURL: yields))
      #expect(answers.unaskedField(for: url) == "Basic " + Data(expected.utf8).base64EncodedString())
      let answer = answers.answer(challenge(NSURLAuthenticationMethodHTTPBasic), for: url).1
      #expect("\(answer?.user ?? "-"):\(answer?.password ?? "-")" == expected)
    }
  }

  @Test func entryWithoutAPasswordIsUsedWhereThereIsNoOther() {
    let file = NetrcFile("machine a login alice machine a login bob password bp machine b login alice machine c password cp")
    #expect(file.login(for: "a")?.user == "bob")
    #expect(file.login(for: "a", user: "alice")?.password == "")
    #expect(file.login(for: "b")?.user == "alice")
    // A password that is of no user.
    #expect(file.login(for: "c", user: "carol")?.password == "cp")
  }

  @Test func loginInTheURLHoldsForItsServerAlone() throws {
    let file = NetrcFile("machine a.example login alice password ap machine b.example login eve password ep")
    let (answers, url) = (ChallengeAnswers(netrc: file), URL(string: "https://bob:up@a.example/"))
    func user(at host: String, port: Int = 443) -> String? {
      answers.answer(challenge(NSURLAuthenticationMethodHTTPBasic, host: host, port: port), for: url).1?.user
    }
    #expect(user(at: "a.example") == "bob")
    #expect(user(at: "a.example", port: 8443) == "alice")
    #expect(user(at: "b.example") == "eve")
    #expect(user(at: "c.example") == nil)
  }

  @Test func schemesThatWereNotAskedForAreRejected() throws {
    let answers = ChallengeAnswers(login: try login("-u", "me:pass", "--digest"))
    #expect(answers.answer(challenge(NSURLAuthenticationMethodHTTPBasic), for: url).0 == .rejectProtectionSpace)
    #expect(answers.answer(challenge(NSURLAuthenticationMethodHTTPDigest), for: url).0 == .useCredential)
  }

  @Test func certificateArgumentIsSplitAtThePassword() {
    func parts(_ argument: String, _ existing: String...) -> [String?] {
      let parts = IdentityFile.parts(argument) { existing.contains($0) }
      return [parts.path, parts.password]
    }
    #expect(parts("me.p12") == ["me.p12", nil])
    #expect(parts("me.p12:pass:word", "me.p12") == ["me.p12", "pass:word"])
    #expect(parts("a:b.p12", "a:b.p12") == ["a:b.p12", nil])
    #expect(parts("a:b.p12:pw", "a:b.p12") == ["a:b.p12", "pw"])
    #expect(parts("missing:pw") == ["missing", "pw"])
  }
}
