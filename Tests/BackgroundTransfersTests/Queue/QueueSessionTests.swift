import Foundation
import Testing

@testable import BackgroundTransfers

@Suite(.timeLimit(.minutes(10))) struct QueueSessionTests {
  private let folder = QueueFolder()

  @Test func sessionsThatNoAppUsesAreRemovedUnlessTheyHaveSomething() throws {
    let queue = try folder.open()
    let open = { (name: String) in try queue.sessions.open(.sample(name), now: .noon).identifier }
    let (waiting, ended, empty, attached) = (try open("waiting"), try open("ended"), try open("empty"), try open("attached"))
    try queue.addWaiting([1], to: waiting)
    _ = try queue.finish(queue.addWaiting([1], to: ended)[0], .success(), now: .noon)
    #expect(try queue.sessions.removeUnused(since: .noon, except: []).isEmpty)
    let used = try queue.sessions.open(.sample("used"), now: .noon).identifier
    try queue.sessions.keepUse(of: used, now: .noon(50))
    #expect(try queue.sessions.removeUnused(since: .noon(10), except: [attached]) == [empty])
    #expect(try queue.sessions.all().map(\.identifier) == [waiting, ended, attached, used])
    // Their identifiers are never used again.
    #expect(try queue.sessions.open(.sample("empty"), now: .noon).identifier > used)
  }

  @Test func whoWaitsForItsAppIsRememberedUntilTheAppComes() throws {
    let queue = try folder.open()
    let session = try queue.sessions.open(.sample()).identifier
    let transfers = try queue.addWaiting(1...3, to: session)
    #expect(try !queue.presence.awaitsApp(session))
    try queue.keepAttempt(1, next: .noon(3600), reason: "waits", awaitsApp: true, transfers[1])
    queue.close()
    let again = try folder.open()
    #expect(try again.presence.awaitsApp(session))
    #expect(try again.ready(now: .noon, limit: 9, excluding: []).map(\.order.task) == [1, 3])
    try again.endWaitForApp(in: session)
    #expect(try !again.presence.awaitsApp(session))
    // Behind those that haven't been tried.
    #expect(try again.ready(now: .noon, limit: 9, excluding: []).map(\.order.task) == [1, 3, 2])
    try again.keepAttempt(1, next: nil, reason: nil, awaitsApp: true, transfers[0])
    _ = try again.finish(transfers[0], .success(), now: .noon)
    #expect(try !again.presence.awaitsApp(session))
  }

  @Test func theFewThatHaveSomethingAreFoundAmongManySessions() throws {
    let queue = try folder.open()
    var expected: [Int64] = []
    try queue.transaction { queue in
      for number in 0..<300 {
        let session = try queue.sessions.open(.sample("\(number)")).identifier
        if number % 100 == 7 { expected += try queue.addWaiting(1...2, to: session) }
        if number % 100 == 8 { _ = try queue.finish(queue.addWaiting([1], to: session)[0], .success(), now: .noon) }
      }
    }
    let ready = try queue.ready(now: .noon, limit: 10, excluding: []).map(\.identifier)
    // One of each session first.
    #expect(ready == [expected[0], expected[2], expected[4], expected[1], expected[3], expected[5]])
  }
}
