#if Combine
  import Dispatch
  import Foundation

  /// Operations that are added to their queues at a date. Those of one queue are added in the order of their dates, and of their planning where
  /// the dates are the same: timers that are due together fire in any order, and a publisher's end must not overtake its values.
  final class PlannedOperations: @unchecked Sendable {
    // @unchecked: what varies is behind `lock`.
    static let shared = PlannedOperations()

    private struct Planned {
      let date: Date
      let number: UInt64
      let action: @Sendable () -> Void

      func isBehind(_ other: (date: Date, number: UInt64)) -> Bool { (date, number) > (other.date, other.number) }
    }

    private let lock = NSLock()
    private var count: UInt64 = 0
    /// By their queues, the first to be added first. A queue is kept by the timers of its operations.
    private var planned: [ObjectIdentifier: [Planned]] = [:]

    func plan(_ action: @escaping @Sendable () -> Void, on queue: OperationQueue, at date: Date) {
      let number = lock.withLock {
        count += 1
        let (place, number) = (ObjectIdentifier(queue), count)
        let index = planned[place]?.lastIndex { !$0.isBehind((date, number)) }.map { $0 + 1 } ?? 0
        planned[place, default: []].insert(Planned(date: date, number: number, action: action), at: index)
        return number
      }
      DispatchQueue.global().asyncAfter(deadline: .now() + max(0, date.timeIntervalSinceNow)) { [self] in
        add(upTo: (date, number), to: queue)
      }
    }

    /// Adds what is planned up to an operation that is due. It may have been added with a later one.
    private func add(upTo last: (date: Date, number: UInt64), to queue: OperationQueue) {
      lock.withLock {
        let place = ObjectIdentifier(queue)
        guard let due = planned[place]?.prefix(while: { !$0.isBehind(last) }).map(\.action) else { return }
        for action in due { queue.addOperation(action) }
        // In place: a copy for each timer would take time in proportion to the square of what is planned.
        planned[place]?.removeFirst(due.count)
        if planned[place]?.isEmpty == true { planned[place] = nil }
      }
    }
  }
#endif
