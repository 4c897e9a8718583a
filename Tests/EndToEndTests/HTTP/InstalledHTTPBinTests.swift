import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// httpbin, where it is installed: what it answers is made by others, and by no code of this project.
@Suite(.timeLimit(.minutes(10)), .enabled(if: InstalledServer.hasHTTPBin, "python3-httpbin isn't installed"))
struct InstalledHTTPBinTests {
  static let program = """
    import os
    from werkzeug.serving import make_server
    from httpbin import app
    server = make_server("127.0.0.1", PORT, app, threaded=True)
    open("FOLDER/pid", "w").write(str(os.getpid()))
    server.serve_forever()
    """

  private func serve(
    _ configuration: URLSessionConfiguration = .testing(), delegate: (any URLSessionDelegate)? = nil,
    _ body: (URLSession, (String) throws -> URL) async throws -> Void
  ) async throws {
    let server = try await InstalledServer(InstalledFTPServer.python, ["CONFIG"], configuration: Self.program, files: [:])
    defer { server.stop() }
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    try await body(session) { try server.url($0) }
    session.invalidateAndCancel()
  }

  @Test(arguments: ["auth", "auth-int"], ["MD5", "SHA-256"])
  func digestIsAccepted(quality: String, algorithm: String) async throws {
    try await serve { session, url async throws in
      let target = try url("/digest-auth/\(quality)/ann/secret/\(algorithm)")
      let answerer = ChallengeAnswerer("ann", "secret")
      let (data, response) = try await session.data(for: URLRequest(url: target), delegate: answerer)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self).replacing(" ", with: "").contains(#""authenticated":true"#))
      #expect(answerer.asked.map(\.method) == [NSURLAuthenticationMethodHTTPDigest])
      // The second time unasked.
      #expect(try await session.text(from: target).1.statusCode == 200)
    }
  }

  @Test func wrongPasswordIsRefused() async throws {
    try await serve { session, url async throws in
      for target in try [url("/digest-auth/auth/ann/secret/SHA-256"), url("/basic-auth/ann/secret")] {
        let answerer = ChallengeAnswerer { challenge in
          challenge.previousFailureCount < 2
            ? (.useCredential, URLCredential(user: "ann", password: "wrong", persistence: .none)) : (.performDefaultHandling, nil)
        }
        let (_, response) = try await session.data(for: URLRequest(url: target), delegate: answerer)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
        #expect(answerer.asked.map(\.failures) == [0, 1, 2])
      }
      let request = URLRequest(url: try url("/basic-auth/ann/secret"))
      let (_, response) = try await session.data(for: request, delegate: ChallengeAnswerer("ann", "secret"))
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
    }
  }

  @Test(arguments: ["gzip", "deflate"]) func codedBodiesAreDecoded(_ coding: String) async throws {
    try await serve { session, url async throws in
      let (text, response) = try await session.text(from: url("/\(coding)"))
      #expect(response.statusCode == 200)
      #expect(text.replacing(" ", with: "").contains(#":true"#))
    }
  }

  @Test func cookiesAndRedirectsGoTogether() async throws {
    try await serve { session, url async throws in
      let (text, response) = try await session.text(from: url("/cookies/set?a=1"))
      #expect(response.url == (try url("/cookies")))
      #expect(text.replacing(" ", with: "").contains(#""a":"1""#))
      #expect(try await session.text(from: url("/absolute-redirect/3")).1.url == (try url("/get")))
    }
  }

  @Test func whatIsSentArrives() async throws {
    try await serve { session, url async throws in
      let body = Data((0..<100_000).map { UInt8(65 + $0 % 26) })
      let (data, _) = try await session.upload(for: URLRequest("PUT", url("/put")), from: body)
      let isEchoed = String(decoding: data, as: UTF8.self).contains(String(decoding: body, as: UTF8.self))
      #expect(isEchoed)
      #expect(try await session.data(from: url("/stream-bytes/70000?seed=1&chunk_size=1000")).0.count == 70_000)
      #expect(try await session.text(from: url("/status/418")).1.statusCode == 418)
    }
  }
}

extension InstalledServer {
  static let hasHTTPBin =
    FileManager.default.isExecutableFile(atPath: InstalledFTPServer.python)
    && FileManager.default.fileExists(atPath: "\(InstalledFTPServer.modules)/httpbin")
}
