import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// What is wrong with a Unix socket is told apart.
@Suite(.timeLimit(.minutes(10))) struct UnixSocketFailureTests {
  private func failure(_ path: String) async throws -> (code: URLError.Code?, text: String, posix: Int?) {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = path
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let error = await session.failure(of: try #require(URL(string: "http://localhost/")))
    let cause = error?.errorUserInfo[NSUnderlyingErrorKey] as? NSError
    let system = cause?.userInfo[NSUnderlyingErrorKey] as? NSError
    return (error?.code, error?.localizedDescription ?? "", system?.code)
  }

  @Test func missingSocketsAreNamed() async throws {
    let path = UnixRelay.newPath()
    let missing = try await failure(path)
    #expect(missing.code == .cannotConnectToHost && missing.posix == Int(ENOENT))
    #expect(missing.text.contains(path) && missing.text.contains("there is no Unix socket"))
    let abstract = try await failure("@nobody-\(UUID().uuidString)")
    #expect(abstract.code == .cannotConnectToHost && abstract.text.contains("abstract"))
  }

  @Test func filesAndAbandonedSocketsAreToldApart() async throws {
    let file = UnixRelay.newPath()
    try Data().write(to: URL(filePath: file))
    let noSocket = try await failure(file)
    #expect(noSocket.code == .cannotConnectToHost && noSocket.text.contains("is no socket"))
    try FileManager.default.removeItem(atPath: file)
    let relay = try await UnixRelay(to: 1)
    let abandoned = relay.path + "x"
    try FileManager.default.linkItem(atPath: relay.path, toPath: abandoned)
    await relay.close()
    let silent = try await failure(abandoned)
    #expect(silent.code == .cannotConnectToHost && silent.posix == Int(ECONNREFUSED) && silent.text.contains("no server listens"))
    try FileManager.default.removeItem(atPath: abandoned)
  }

  @Test(.enabled(if: geteuid() != 0, "root may connect to every socket")) func forbiddenSocketsAreNamed() async throws {
    let relay = try await UnixRelay(to: 1)
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: relay.path)
    let forbidden = try await failure(relay.path)
    #expect(forbidden.code == .cannotConnectToHost && forbidden.posix == Int(EACCES) && forbidden.text.contains("permissions"))
    await relay.close()
  }

  @Test func pathsThatAreTooLongAreRefused() async throws {
    let long = try await failure("/tmp/" + String(repeating: "a", count: 103))
    #expect(long.code == .badURL && long.text.contains("too long") && long.text.contains("108"))
    #expect(try await failure("/tmp/" + String(repeating: "a", count: 102)).code == .cannotConnectToHost)
    #expect(try await failure("").code == .badURL)
    #expect(try await failure("@").code == .badURL)
  }

  @Test func urlsWithoutASocketSayHowToWriteIt() async throws {
    let session = URLSession(configuration: .ephemeral)
    let error = await session.failure(of: try #require(URL(string: "http+unix:///run/docker.sock")))
    #expect(error?.code == .badURL && error?.localizedDescription.contains("%2F") == true)
    session.invalidateAndCancel()
  }

  @Test func otherProtocolsAreRefused() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.unixSocketPath = UnixRelay.newPath()
    let session = URLSession(configuration: configuration)
    #expect(await session.failure(of: try #require(URL(string: "ftp://localhost/file")))?.code == .unsupportedURL)
    session.invalidateAndCancel()
  }
}
