import Foundation
import Testing

@testable import Stores

/// Against a real keyring: `scripts/tests/test-secret-service` starts one without a user and runs these tests with it.
@Suite(
  .serialized,
  .enabled(
    if: ProcessInfo.processInfo.environment["SECRET_SERVICE_TEST"] != nil,
    "no keyring for tests: run `scripts/tests/test-secret-service swift test --filter SecretServiceTests`"))
struct SecretServiceTests {
  private let application = "tests-\(UUID().uuidString)"

  private func backend() throws -> SecretServiceBackend {
    try #require(SecretServiceBackend(application: application, environment: ProcessInfo.processInfo.environment))
  }

  @Test func whatIsKeptIsReadAgain() throws {
    let kept = [
      StoredCredential.sample("ännchen", "pässword\u{0}", role: .standard), .sample("bob", "", realm: nil), .sample("bob", "b", realm: ""),
      .sample("cy", "c", host: "proxy.test", persistence: .synchronizable),
    ]
    let written = try backend().update { for credential in kept { $0.keep(credential) } }
    #expect(written.credentials == kept)
    #expect(try Set(backend().read().credentials) == Set(kept))
    _ = try backend().update { $0.forget(user: "bob", in: .sample(realm: "")) }
    #expect(try Set(backend().read().credentials) == Set(kept.filter { $0.space.realm != "" }))
    _ = try backend().update { $0.forgetAll() }
    #expect(try backend().read().credentials.isEmpty)
  }

  @Test func replacementLeavesOneItem() throws {
    _ = try backend().update { $0.keep(.sample("ann", "old")) }
    _ = try backend().update { $0.keep(.sample("ann", "new")) }
    #expect(try backend().read().credentials == [.sample("ann", "new")])
    _ = try backend().update { $0.keep(.sample("ann", "newer", role: .standard)) }
    #expect(try backend().read().credentials == [.sample("ann", "newer", role: .standard)])
    _ = try backend().update { $0.keep(.sample("bob", role: .standard)) }
    #expect(try Set(backend().read().credentials) == [.sample("ann", "newer"), .sample("bob", role: .standard)])
    _ = try backend().update { $0.forgetAll() }
  }

  @Test func applicationsDoNotSeeEachOther() throws {
    _ = try backend().update { $0.keep(.sample()) }
    let other = try #require(
      SecretServiceBackend(application: application + "-other", environment: ProcessInfo.processInfo.environment))
    #expect(try other.read().credentials.isEmpty)
    _ = try backend().update { $0.forgetAll() }
  }

  @Test func namesWithAZeroByteAreRefused() throws {
    #expect(throws: StoreFailure.self) { try backend().update { $0.keep(.sample("a\u{0}b")) } }
    #expect(try backend().read().credentials.isEmpty)
  }

  @Test func storePrefersItToTheFile() throws {
    let folder = TemporaryFolder()
    let file = CredentialFile(folder.location)
    let url = folder.url.appending(path: "changes")
    let backend = try backend()
    let store = CredentialStore(backends: { [backend, file] }) { ChangeCounter(url: url) }
    store.keep(.sample())
    #expect(try file.read().credentials.isEmpty)
    #expect(try backend.read().credentials == [.sample()])
    store.forgetAll()
    #expect(try backend.read().credentials.isEmpty)
  }
}

/// Where no service runs.
@Suite(.timeLimit(.minutes(10))) struct SecretServiceAbsenceTests {
  @Test func noBusMeansNoVault() {
    #expect(SecretServiceBackend(application: "tests", environment: [:]) == nil)
    #expect(SecretServiceBackend(application: "tests", environment: ["XDG_RUNTIME_DIR": "/nonexistent"]) == nil)
  }
}
