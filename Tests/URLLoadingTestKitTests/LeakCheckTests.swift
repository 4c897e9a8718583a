import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

@Suite(.timeLimit(.minutes(10)))
struct LeakCheckTests {
  private final class Thing: Sendable {}

  @Test func releasedObjectIsNoLeak() async throws {
    let check = LeakCheck()
    do { check.track(Thing(), "thing") }
    try await check.verify()
  }

  @Test func keptObjectIsNamed() async throws {
    let check = LeakCheck()
    let kept = Thing()
    check.track(kept, "kept thing")
    check.track(Thing())
    let leak = await #expect(throws: LeakCheck.Leak.self) { try await check.verify(yields: 5, waits: 1) }
    #expect(leak?.names == ["kept thing"])
    withExtendedLifetime(kept) {}
  }

  @Test func objectReleasedByAnotherTaskMeanwhileIsNoLeak() async throws {
    let check = LeakCheck()
    let gate = Gate()
    var thing: Thing? = Thing()
    check.track(thing ?? Thing(), "thing")
    let holder = Task { [thing] in
      try await gate.reached(1)
      return thing == nil
    }
    thing = nil
    #expect(check.alive == ["thing"])
    holder.cancel()
    _ = try? await holder.value
    try await check.verify()
  }

  private final class Client: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private(set) lazy var session = URLSession(configuration: .ephemeral, delegate: self, delegateQueue: nil)
  }

  @Test func sessionThatIsNeverInvalidatedFailsTheCheckOfLoading() async throws {
    weak var session: URLSession?
    let held = await #expect(throws: LeakCheck.Held.self) {
      try await LeakCheck.loading(patience: .milliseconds(1)) { session = Client().session }
    }
    #expect(held?.objects.map(\.kind) == [.session] && held?.description.contains("leaked: URLSession with delegate") == true)
    session?.invalidateAndCancel()
  }

  @Test func invalidatedSessionPassesTheCheckOfLoading() async throws {
    let value = try await LeakCheck.loading {
      let client = Client()
      defer { client.session.finishTasksAndInvalidate() }
      return client.session.configuration.identifier
    }
    #expect(value == nil)
  }
}
