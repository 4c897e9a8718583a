import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite(.timeLimit(.minutes(10))) struct NotificationSequenceTests {
  private let center = NotificationCenter()
  private let name = Notification.Name("news")

  private func post(_ number: Int, object: AnyObject? = nil) { center.post(name: name, object: object, userInfo: ["number": number]) }

  private func number(_ notification: Notification?) -> Int? { notification?.userInfo?["number"] as? Int }

  @Test func whatIsPostedWhileTheLoopIsBusyWaitsInOrder() async {
    var iterator = center.notifications(named: name).makeAsyncIterator()
    for count in 0..<100 { post(count) }
    for count in 0..<100 { #expect(number(await iterator.next()) == count) }
  }

  @Test func newestAreKept() async {
    var iterator = center.notifications(named: name).makeAsyncIterator()
    let capacity = NotificationCenter.Notifications.capacity
    for count in 0..<(capacity + 5) { post(count) }
    #expect(number(await iterator.next()) == 5)
  }

  @Test func postedBeforeTheIteratorIsMadeIsNotSeen() async {
    let sequence = center.notifications(named: name)
    post(1)
    var iterator = sequence.makeAsyncIterator()
    post(2)
    #expect(number(await iterator.next()) == 2)
  }

  @Test func objectAndNameSelect() async {
    let (one, other) = (NSObject(), NSObject())
    var iterator = center.notifications(named: name, object: one).makeAsyncIterator()
    post(1, object: other)
    center.post(name: Notification.Name("other"), object: one)
    post(2, object: one)
    #expect(number(await iterator.next()) == 2)
  }

  @Test func everyIteratorGetsEveryNotification() async {
    let sequence = center.notifications(named: name)
    var (first, second) = (sequence.makeAsyncIterator(), sequence.makeAsyncIterator())
    post(7)
    #expect(number(await first.next()) == 7)
    #expect(number(await second.next()) == 7)
  }

  @Test func cancelledLoopEnds() async {
    let (center, name) = (center, name)
    let count = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await center.notifications(named: name).reduce(0) { sum, _ in sum + 1 }
    }.value
    #expect(count == 0)
  }

  @Test func observingEndsWithTheIterator() {
    final class Counted: NSObject {}
    weak var object: Counted?
    func observe() {
      let counted = Counted()
      object = counted
      _ = center.notifications(named: name, object: counted).makeAsyncIterator()
    }
    observe()
    #expect(object == nil)
  }

  private final class Listener: Sendable {
    let numbers = Mutex<[Int]>([])
    func heard(_ notification: Notification) {
      let number = notification.userInfo?["number"] as? Int ?? 0
      numbers.withLock { $0.append(number) }
    }
  }

  @Test func methodOfATargetIsCalledUntilItIsRemoved() {
    let listener = Listener()
    let observer = center.addObserver(listener, method: Listener.heard, name: name)
    post(1)
    center.removeObserver(observer)
    post(2)
    #expect(listener.numbers.withLock { $0 } == [1])
  }

  @Test func targetIsNotKept() {
    weak var kept: Listener?
    func observe() {
      let listener = Listener()
      kept = listener
      center.addObserver(listener, method: Listener.heard, name: name)
    }
    observe()
    #expect(kept == nil)
    post(1)
  }
}
