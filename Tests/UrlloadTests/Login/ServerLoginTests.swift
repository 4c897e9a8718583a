import Foundation
import Testing
import URLLoadingTestKit

/// Logins as the server gets them that they are meant for, and no other.
@Suite(.timeLimit(.minutes(10))) struct ServerLoginTests {
  private static let basic = "Basic " + Data("me:s3cret".utf8).base64EncodedString()

  /// A server that asks for a login by `schemes`, and takes any of Digest and the right one of Basic.
  private func withServer(asking schemes: String..., body: (TestServer) async throws -> Void) async throws {
    try await TestServer.with(.http) { server async throws in
      let fields = HeaderList(schemes.map { ("WWW-Authenticate", $0) })
      server.route("/*") { request in
        let sent = request.headers["Authorization"] ?? ""
        return sent == ServerLoginTests.basic || sent.hasPrefix("Digest ") ? .text("in") : Reply(401, headers: fields, body: .text("out"))
      }
      try await body(server)
    }
  }

  private func sent(_ server: TestServer) -> [String] { server.requests.map { $0.headers["Authorization"] ?? "-" } }

  private static let digestQuestion = #"Digest realm="r", nonce="n0nce", qop="auth", algorithm=SHA-256"#
  private static let basicQuestion = #"Basic realm="r""#

  @Test func loginIsGivenWhenTheServerAsks() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let outcome = try await Tool().run("-u", "me:s3cret", server.url("/a").absoluteString, server.url("/b").absoluteString)
      #expect(outcome.text == "inin")
      #expect(outcome.status == 0)
      #expect(sent(server) == ["-", ServerLoginTests.basic, ServerLoginTests.basic])
    }
  }

  @Test func basicIsSentUnasked() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let outcome = try await Tool().run("-u", "me:s3cret", "--basic", server.url("/").absoluteString)
      #expect(outcome.text == "in")
      #expect(sent(server) == [ServerLoginTests.basic])
    }
  }

  @Test func loginOfTheURLIsUsedWithTheSchemeThatIsAskedFor() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let url = server.url("/").absoluteString.replacing("://", with: "://me:s3cret@")
      #expect(try await Tool().run("--basic", url).text == "in")
      #expect(try await Tool().run("--digest", url).text == "out")
      #expect(sent(server) == [ServerLoginTests.basic, "-"])
    }
  }

  @Test(arguments: [("--netrc", "eve:ep"), ("--netrc-optional", "eve:up")])
  func loginOfTheURLMeetsThatOfAFile(option: String, expected: String) async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      try await Tool.withDirectory { tool, directory in
        try Data("machine 127.0.0.1 login ann password ap machine 127.0.0.1 login eve password ep".utf8)
          .write(to: directory.appending(path: ".netrc"))
        let url = server.url("/").absoluteString.replacing("://", with: "://eve:up@")
        for arguments in [["--basic"], []] {
          _ = try await tool.run(list: arguments + [option, url], environment: ["HOME": directory.path])
        }
        let field = "Basic " + Data(expected.utf8).base64EncodedString()
        #expect(Set(sent(server)) == [field, "-"])
        #expect(sent(server).first == field && sent(server).last == field)
      }
    }
  }

  @Test func refusedLoginIsNotFollowedByThatOfTheURL() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let url = server.url("/").absoluteString.replacing("://", with: "://me:s3cret@")
      #expect(try await Tool().run("-u", "eve:x", url).text == "out")
      #expect(sent(server) == ["-", "Basic " + Data("eve:x".utf8).base64EncodedString()])
    }
  }

  @Test func strongerSchemeIsTaken() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion, ServerLoginTests.digestQuestion) { server async throws in
      for arguments in [["-u", "me:s3cret"], ["-u", "me:s3cret", "--digest"]] {
        let outcome = try await Tool().run(list: arguments + [server.url("/path").absoluteString])
        #expect(outcome.text == "in")
        let answer = try #require(sent(server).last)
        #expect(answer.hasPrefix("Digest "))
        #expect(answer.contains(#"username="me""#) && answer.contains(#"nonce="n0nce""#) && answer.contains(#"uri="/path""#))
        #expect(!answer.contains("s3cret"))
      }
    }
  }

  @Test func digestGivesNothingToAServerThatAsksForBasic() async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let url = server.url("/").absoluteString
      let outcome = try await Tool().run("-u", "me:s3cret", "--digest", url)
      #expect(outcome.text == "out")
      #expect(outcome.status == 0)
      #expect(try await Tool().run("-f", "-u", "me:s3cret", "--digest", url).status == 22)
      #expect(sent(server) == ["-", "-"])
    }
  }

  @Test(arguments: [[], ["--basic"]]) func refusedLoginIsTriedOnce(arguments: [String]) async throws {
    try await withServer(asking: ServerLoginTests.basicQuestion) { server async throws in
      let outcome = try await Tool().run(list: arguments + ["-i", "-u", "me:wrong", server.url("/").absoluteString])
      #expect(outcome.text.hasPrefix("HTTP/1.1 401 "))
      let login = "Basic " + Data("me:wrong".utf8).base64EncodedString()
      #expect(sent(server) == (arguments.isEmpty ? ["-", login] : [login]))
    }
  }

  @Test(arguments: [["-u", "me:s3cret"], ["-u", "me:s3cret", "--basic"], ["-u", "me:s3cret", "--digest"]])
  func passwordIsNeverShown(arguments: [String]) async throws {
    try await withServer(asking: ServerLoginTests.digestQuestion, ServerLoginTests.basicQuestion) { server async throws in
      let url = server.url("/").absoluteString
      let masked = url.replacing("://", with: "://me:s3cret@")
      for list in [arguments + ["-v", "--metrics", url], ["-v", "--metrics", masked]] {
        let outcome = try await Tool().run(list: list)
        #expect(outcome.text == "in")
        #expect(outcome.errors.contains("> GET / HTTP/1.1"))
        for secret in ["s3cret", Data("me:s3cret".utf8).base64EncodedString(), "response=\""] { #expect(!outcome.errors.contains(secret)) }
      }
    }
    // Nor where nothing can be loaded.
    let failed = try await Tool().run(list: arguments + ["-v", "http://me:s3cret@127.0.0.1:1/"])
    #expect(failed.status == 7)
    #expect(!failed.errors.contains("s3cret"))
  }
}
