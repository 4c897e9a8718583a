import Foundation
import URLLoadingSystem

/// Tells the test when a task waits.
final class ConnectivityRecorder: NSObject, URLSessionDataDelegate {
  private let told = AsyncStream.makeStream(of: Int.self)

  func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
    told.continuation.yield(task.taskIdentifier)
  }

  /// Waits for the first message.
  func first() async { for await _ in told.stream { return } }

  /// How many more there have been.
  func rest() async -> Int {
    told.continuation.finish()
    var count = 0
    for await _ in told.stream { count += 1 }
    return count
  }
}
