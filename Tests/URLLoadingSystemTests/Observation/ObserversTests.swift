import Foundation
import LoadingModel
import Testing

@testable import URLLoadingSystem

@Suite struct ObserversTests {
  private struct Value: Sendable {
    let number: Int
  }

  private func observer(_ told: @escaping @Sendable () -> Void = {}) -> PropertyObserver<Value> {
    PropertyObserver(ObservedProperty(\Value.number), tellsPrior: false) { _ in told() }
  }

  @Test func observersAreToldInTheOrderInWhichTheyWereAdded() {
    let told = Mutex<[Int]>([])
    var observers = Observers<Value>()
    let all = (0..<40).map { number in observer { told.withLock { $0.append(number) } } }
    for observer in all { observers.add(observer) }
    for (number, observer) in all.enumerated() where number % 3 != 0 { observers.remove(observer) }
    observers.remove(all[1])
    observers.note(Value(number: 1), Value(number: 2)).tell()
    #expect(told.withLock { $0 } == Array(stride(from: 0, to: 40, by: 3)))
    for observer in all { observers.remove(observer) }
    #expect(observers.isEmpty)
  }

  /// Where each end looks at all others, this takes minutes.
  @Test(.timeLimit(.minutes(1)), arguments: [false, true]) func manyObserversEndInNoTime(isReversed: Bool) {
    var observers = Observers<Value>()
    let all = (0..<100_000).map { _ in observer() }
    for observer in all { observers.add(observer) }
    for observer in isReversed ? all.reversed() : all { observers.remove(observer) }
    #expect(observers.isEmpty)
  }
}
