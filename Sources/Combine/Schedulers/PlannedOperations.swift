#if Combine
  import Dispatch
  import Foundation

  /// Adds operations to their queues at a date. Operations of one queue are added in the order of their dates, and of their planning if the dates are
  /// equal. Timers alone wouldn't guarantee that, as timers that are due at the same time fire in any order; a publisher's completion must not
  /// overtake its values.
  final class PlannedOperations: @unchecked Sendable {
    // @unchecked: all variables are accessed under `lock`.
    static let shared = PlannedOperations()

    private struct Planned {
      let date: Date
      let number: UInt64
      let action: @Sendable () -> Void

      func isBehind(_ other: (date: Date, number: UInt64)) -> Bool { (date, number) > (other.date, other.number) }
    }

    private let lock = NSLock()
    private var count: UInt64 = 0
    /// The planned operations of each queue, in the order in which they are to be added. The queue is kept alive by the timers of its operations.
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

    /// Adds all operations that are planned before `last`, which is due, and `last` itself. That may have been added already, together with a later
    /// one.
    private func add(upTo last: (date: Date, number: UInt64), to queue: OperationQueue) {
      lock.withLock {
        let place = ObjectIdentifier(queue)
        guard let due = planned[place]?.prefix(while: { !$0.isBehind(last) }).map(\.action) else { return }
        for action in due { queue.addOperation(action) }
        // Removed in place: copying the array for each timer would take quadratic time in the number of planned operations.
        planned[place]?.removeFirst(due.count)
        if planned[place]?.isEmpty == true { planned[place] = nil }
      }
    }
  }
#endif
