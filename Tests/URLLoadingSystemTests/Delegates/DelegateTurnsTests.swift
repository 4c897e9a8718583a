import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

/// Delegates that wait until all of them run.
private final class Meeting: Sendable {
  private let count: Int
  private let arrived = Mutex(0)
  private let all = DispatchSemaphore(value: 0)

  init(of count: Int) { self.count = count }

  var isComplete: Bool { arrived.withLock { $0 } == count }

  func wait() {
    let isLast = arrived.withLock { arrived in
      arrived += 1
      return arrived == count
    }
    guard isLast else { return all.wait() }
    for _ in 1..<count { all.signal() }
  }
}

@Suite(.timeLimit(.minutes(5))) struct DelegateTurnsTests {
  @Test func turnsBeyondTheLimitFollowInOrder() {
    let turns = DelegateTurns(limit: 2, patience: .seconds(3600))
    let begun = Mutex<[Int]>([])
    for number in 0..<5 { turns.begin { begun.withLock { $0.append(number) } } }
    #expect(begun.withLock { $0 } == [0, 1])
    for count in 3...5 {
      turns.end()
      #expect(begun.withLock { $0 } == Array(0..<count))
    }
    turns.end()
    turns.end()
    turns.begin { begun.withLock { $0.append(5) } }
    #expect(begun.withLock { $0 }.last == 5)
  }

  /// The first delegate may wait for the last.
  @Test func turnsThatDontEndHoldUpNoOther() async {
    let turns = DelegateTurns(limit: 1, patience: .milliseconds(1))
    await withCheckedContinuation { continuation in
      for number in 0..<20 { turns.begin { if number == 19 { continuation.resume() } } }
    }
  }

  /// Each session's delegate waits until those of all sessions run.
  @Test func delegatesThatWaitForEachOtherAllRun() async throws {
    let meeting = Meeting(of: 50)
    let pumps = (0..<50).map { _ in DelegatePump() }
    await withTaskGroup { group in
      for pump in pumps {
        group.addTask {
          await withCheckedContinuation { continuation in
            pump.post {
              meeting.wait()
              continuation.resume()
            }
          }
        }
      }
    }
    #expect(meeting.isComplete)
  }
}
