import ChildProcesses
import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// FTP with servers that others wrote, where they are installed.
@Suite(.timeLimit(.minutes(10))) struct InstalledServerFTPTests {
  typealias Program = InstalledFTPServer.Program
  typealias Security = InstalledFTPServer.Security

  private static let programs = InstalledFTPServer.programs
  private static let areMissing: Comment = "vsftpd, or python3-pyftpdlib with python3-openssl, isn't installed"

  private static let hosts = ["127.0.0.1"] + (ClosedPort.isIPv6There ? ["::1"] : [])

  /// Every kind of connection with every program.
  static let connections: [(Program, Security, String)] = programs.flatMap { program in
    Security.allCases.flatMap { security in hosts.map { (program, security, $0) } }
  }

  private func exercise(_ session: URLSession, _ url: (String) throws -> URL) async throws {
    #expect(try await session.data(from: url("/dir/a.txt")).0 == Data("content a".utf8))
    #expect(try await session.data(from: url("/dir/%C3%A9.txt")).0 == Data("content é".utf8))
    #expect(String(decoding: try await session.data(from: url("/dir/;type=d")).0, as: UTF8.self).contains("a.txt\r\n"))
    #expect(String(decoding: try await session.data(from: url("/dir/")).0, as: UTF8.self).contains("a.txt\r\n"))
    let bytes = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
    _ = try await session.upload(for: URLRequest("PUT", url("/dir/b.bin")), from: bytes)
    #expect(try await session.data(from: url("/dir/b.bin")).0 == bytes)
    var part = URLRequest(url: try url("/dir/b.bin"))
    part.setValue("bytes=999990-", forHTTPHeaderField: "Range")
    #expect(try await session.data(for: part).0 == bytes.suffix(10))
    part.setValue("bytes=10-19", forHTTPHeaderField: "Range")
    #expect(try await session.data(for: part).0 == bytes[10..<20])
    #expect(await session.failure(of: try url("/dir/none"))?.code == .fileDoesNotExist)
    #expect(await session.failure(of: try url("/none/a.txt"))?.code == .fileDoesNotExist)
    let refused = await session.failure(of: URLRequest("PUT", try url("/none/b.bin"), body: bytes))
    #expect(refused?.code == .fileDoesNotExist)
  }

  @Test(.enabled(if: !programs.isEmpty, areMissing), arguments: connections)
  func serverServesAndStores(_ program: Program, _ security: Security, _ host: String) async throws {
    let authority = try TestCertificateAuthority()
    try await InstalledFTPServer.with(program, security, host: host, certificate: authority.issue()) { server async throws in
      let session = URLSession(configuration: .testing(trusting: authority))
      try await exercise(session) { try server.url($0) }
      session.invalidateAndCancel()
      guard security != .none else { return }
      let distrustful = URLSession(configuration: .testing())
      #expect(await distrustful.failure(of: try server.url("/dir/a.txt"))?.code == .serverCertificateHasUnknownRoot)
      distrustful.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: !programs.isEmpty, areMissing), arguments: programs, ["EPSV", "EPSV PASV", "EPSV PASV EPRT"])
  func serverWithoutPassiveModesConnectsItself(_ program: Program, _ refused: String) async throws {
    let authority = try TestCertificateAuthority()
    let commands = refused.split(separator: " ").map(String.init)
    for security in [Security.none, .explicit] {
      try await InstalledFTPServer.with(program, security, refusing: commands, certificate: authority.issue()) { server async throws in
        let session = URLSession(configuration: .testing(trusting: authority))
        #expect(try await session.data(from: server.url("/dir/a.txt")).0 == Data("content a".utf8))
        _ = try await session.upload(for: URLRequest("PUT", server.url("/dir/c.txt")), from: Data("stored".utf8))
        #expect(try Data(contentsOf: server.file("dir/c.txt")) == Data("stored".utf8))
        session.invalidateAndCancel()
      }
    }
  }

  @Test(.enabled(if: !programs.isEmpty, areMissing), arguments: programs)
  func refusedGuestIsAskedForALoginThatIsKept(_ program: Program) async throws {
    try await InstalledFTPServer.with(program) { server async throws in
      let session = URLSession(configuration: .testing())
      let wrong = ChallengeAnswerer { challenge in
        challenge.previousFailureCount < 2
          ? (.useCredential, URLCredential(user: "ftp", password: "wrong", persistence: .forSession)) : (.performDefaultHandling, nil)
      }
      let url = try server.url("/dir/a.txt", user: nil)
      #expect(await session.failure(of: URLRequest(url: url), delegate: wrong)?.code == .userAuthenticationRequired)
      #expect(wrong.asked.map(\.failures) == [0, 1, 2])
      let right = ChallengeAnswerer("ftp", "secret")
      for _ in 0..<2 { #expect(try await session.data(from: url, delegate: right).0 == Data("content a".utf8)) }
      #expect(right.asked.map(\.failures) == [0])
      #expect(right.asked.map(\.method) == [NSURLAuthenticationMethodDefault])
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: !programs.isEmpty, areMissing), arguments: programs)
  func storedLoginIsUsedUnasked(_ program: Program) async throws {
    try await InstalledFTPServer.with(program) { server async throws in
      let configuration = URLSessionConfiguration.testing()
      let space = URLProtectionSpace(
        host: "127.0.0.1", port: server.port, protocol: "ftp", realm: nil, authenticationMethod: NSURLAuthenticationMethodDefault)
      let credential = URLCredential(user: "ftp", password: "secret", persistence: .forSession)
      configuration.urlCredentialStorage?.setDefaultCredential(credential, for: space)
      let session = URLSession(configuration: configuration)
      #expect(try await session.data(from: server.url("/dir/a.txt", user: nil)).0 == Data("content a".utf8))
      #expect(try await session.data(from: server.url("/dir/a.txt", user: "ftp")).0 == Data("content a".utf8))
      #expect(try await session.data(from: server.url("/dir/a.txt", user: "ftp:wrong")).0 == Data("content a".utf8))
      session.invalidateAndCancel()
    }
  }

  @Test(.enabled(if: !programs.isEmpty, areMissing), arguments: programs)
  func cancelledTransferEndsAndTheServerServesOn(_ program: Program) async throws {
    try await InstalledFTPServer.with(program) { server async throws in
      try server.makeSparseFile("dir/big", size: 4 << 30)
      let session = URLSession(configuration: .testing())
      let (bytes, response) = try await session.bytes(from: server.url("/dir/big"))
      #expect(response.expectedContentLength == 4 << 30)
      var iterator = bytes.makeAsyncIterator()
      for _ in 0..<100_000 { _ = try await iterator.next() }
      bytes.task.cancel()
      #expect(await errorCode { while try await iterator.next() != nil {} } == URLError.cancelled.rawValue)
      #expect(try await session.data(from: server.url("/dir/a.txt")).0 == Data("content a".utf8))
      session.invalidateAndCancel()
    }
  }
}
