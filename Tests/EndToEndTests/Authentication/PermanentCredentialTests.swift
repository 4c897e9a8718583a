import Foundation
import Stores
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A login that outlives the process: a second storage on the same folder represents the next start of the app.
@Suite(.timeLimit(.minutes(10))) struct PermanentCredentialTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "login-\(UUID().uuidString)", directoryHint: .isDirectory)

  private func storage() -> URLCredentialStorage {
    let environment = ["URL_LOADING_SYSTEM_HOME": folder.path(percentEncoded: false)]
    let location = StoreLocation(environment: environment, home: folder, app: "tests")
    return URLCredentialStorage(permanent: CredentialStore(location, environment: environment))
  }

  private func protect(_ server: TestServer) {
    server.route("/*") { request in
      // ann:secret
      request.headers["Authorization"] == "Basic YW5uOnNlY3JldA=="
        ? .text("welcome") : Reply(401, headers: ["WWW-Authenticate": #"Basic realm="r""#])
    }
  }

  @Test(arguments: Wire.allCases) func loginThatWorkedIsThereAtTheNextStart(_ wire: Wire) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await wire.serve { server, configuration async throws in
      protect(server)
      configuration.urlCredentialStorage = storage()
      let delegate = ChallengeAnswerer("ann", "secret", .permanent)
      let first = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      #expect(try await first.text(from: server.url("/")).0 == "welcome")
      first.invalidateAndCancel()
      configuration.urlCredentialStorage = storage()
      let second = URLSession(configuration: configuration)
      #expect(try await second.text(from: server.url("/")).0 == "welcome")
      second.invalidateAndCancel()
      #expect(delegate.asked.count == 1)
    }
  }

  @Test(arguments: Wire.allCases) func loginThatFailedIsNotKept(_ wire: Wire) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await wire.serve { server, configuration async throws in
      protect(server)
      configuration.urlCredentialStorage = storage()
      let delegate = ChallengeAnswerer { challenge in
        challenge.previousFailureCount == 0
          ? (.useCredential, URLCredential(user: "ann", password: "wrong", persistence: .permanent)) : (.performDefaultHandling, nil)
      }
      let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      let (_, response) = try await session.data(from: server.url("/"))
      #expect((response as? HTTPURLResponse)?.statusCode == 401)
      session.invalidateAndCancel()
      #expect(storage().allCredentials.isEmpty)
    }
  }

  @Test func resetForgetsPermanentLogins() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let kept = storage()
    let space = URLProtectionSpace(host: "h.test", port: 443, protocol: "https", realm: "r", authenticationMethod: nil)
    kept.set(URLCredential(user: "ann", password: "secret", persistence: .permanent), for: space)
    let configuration = URLSessionConfiguration.testing()
    configuration.urlCredentialStorage = kept
    let session = URLSession(configuration: configuration)
    await session.reset()
    session.invalidateAndCancel()
    #expect(storage().allCredentials.isEmpty)
  }
}
