import ChildProcesses
import Foundation
import LoadingModel
import ProtocolRules
import Testing

@testable import Stores

/// How the list of public suffixes is loaded. Each process does it once: the child is this test program again, told by a variable of the environment to
/// run one test alone.
@Suite(.timeLimit(.minutes(10))) struct PublicSuffixPreparationTests {
  private static let variable = "STORES_TESTS_UNPREPARED"
  private static let isChild = ProcessInfo.processInfo.environment[variable] != nil

  @Test(.enabled(if: !isChild)) func observerThatWaitsForALoadDoesNotHoldUpTheList() async throws {
    let folder = TemporaryFolder()
    let child = try ChildProcess(
      ofThisProgram: "PublicSuffixPreparationTests/childWaitsInAnObserver", in: folder.url, environment: [Self.variable: folder.url.path])
    #expect(await child.end() == .exit(0))
  }

  @Test(.enabled(if: isChild, "only in a child process")) func childWaitsInAnObserver() async throws {
    let folder = try #require(ProcessInfo.processInfo.environment[Self.variable])
    let (kept, other) = (CookieStore(file: URL(filePath: folder).appending(path: "cookies.sqlite")), CookieStore())
    let (isCalled, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    kept.observe {
      isCalled.signal()
      mayReturn.wait()
    }
    try await receive(in: kept)
    await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        isCalled.wait()
        continuation.resume()
      }
    }
    #expect(!SystemPublicSuffixes.isPrepared)
    try await receive(in: other)
    #expect(other.read { jar, _ in jar.count } == 1)
    mayReturn.signal()
  }

  private func receive(in store: CookieStore) async throws {
    let request = CookieRequest(url: try #require(CookieURL(URL(string: "http://a.test/"))))
    await withCheckedContinuation { done in store.receive(["a=1"], for: request, acceptance: .always) { done.resume() } }
  }
}
