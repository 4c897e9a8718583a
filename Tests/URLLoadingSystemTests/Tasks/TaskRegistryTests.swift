import Foundation
import Testing

@testable import URLLoadingSystem

/// When a session becomes invalid.
@Suite struct TaskRegistryTests {
  private let registry = TaskRegistry()
  private let task = URLSession(configuration: .ephemeral).dataTask(with: URLRequest(url: URL(filePath: "/nowhere")))

  @Test func sessionWithoutTasksBecomesInvalidAtOnce() {
    #expect(registry.finish() && registry.isInvalid)
    #expect(!registry.finish(), "it is told once")
  }

  @Test func lastTaskMakesItInvalid() {
    #expect(registry.add(task))
    #expect(!registry.finish())
    #expect(registry.remove(task) && registry.isInvalid)
  }

  /// A background session has told its daemon nothing yet: its link mustn't end with the last task.
  @Test func closedSessionWaitsForItsEnd() {
    #expect(registry.add(task))
    registry.close()
    #expect(!registry.add(URLSession(configuration: .ephemeral).dataTask(with: URLRequest(url: URL(filePath: "/nowhere")))))
    #expect(!registry.remove(task) && !registry.isInvalid)
    #expect(registry.finish() && registry.isInvalid)
  }

  @Test func finishingSessionIsNotClosedAgain() {
    #expect(registry.add(task))
    #expect(!registry.finish())
    registry.close()
    #expect(registry.remove(task))
  }
}
