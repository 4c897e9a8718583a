import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct SessionEndTests {
  /// A session's delegate that notes when the session has become invalid.
  private final class Delegate: NSObject, URLSessionDelegate {
    private let told: AsyncStream<String>.Continuation

    init(_ told: AsyncStream<String>.Continuation) { self.told = told }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { told.yield("invalid") }
  }

  /// A load that ends leaves the registry first, and posts its last calls then, in one step of the event loop.
  @Test func endOfTheSessionComesAfterWhatTheLoopIsPosting() async {
    let (stream, told) = AsyncStream.makeStream(of: String.self)
    let session = URLSession(configuration: .ephemeral, delegate: Delegate(told), delegateQueue: nil)
    session.engine.onLoop {
      let isInvalidated = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        session.finishTasksAndInvalidate()
        isInvalidated.signal()
      }
      isInvalidated.wait()
      session.pump.post { told.yield("completed") }
    }
    var order: [String] = []
    for await event in stream.prefix(2) { order.append(event) }
    #expect(order == ["completed", "invalid"])
  }
}
