import Foundation
import Testing
import URLLoadingSystem
import URLLoadingTestKit

/// A task's delegate that uses its task when it is released.
@Suite(.timeLimit(.minutes(10))) struct TaskDelegateReleaseTests {
  private final class LastWord: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    // @unchecked: `task` is set before the delegate is shared.
    weak var task: URLSessionTask?
    deinit { task?.cancel() }
  }

  @Test func delegateThatIsReplacedMayCancelItsTask() async throws {
    let session = URLSession(configuration: .testing())
    let recorder = DelegateRecorder()
    let task = session.dataTask(with: try #require(URL(string: "http://127.0.0.1:9/")))
    task.delegate = LastWord()
    (task.delegate as? LastWord)?.task = task
    task.delegate = recorder
    #expect((await recorder.completion(of: task) as? URLError)?.code == .cancelled)
    session.invalidateAndCancel()
  }
}
