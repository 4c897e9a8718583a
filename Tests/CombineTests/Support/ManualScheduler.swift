#if Combine
  import Combine
  import Foundation

  /// A scheduler whose time moves when the test says so. For one thread.
  final class ManualScheduler: Scheduler {
    typealias SchedulerTimeType = DateSchedulerTime
    typealias SchedulerOptions = Never

    private struct Planned {
      let id: Int
      var date: DateSchedulerTime
      let interval: DateSchedulerTime.Stride?
      let action: () -> Void
    }

    private(set) var now = DateSchedulerTime(Date(timeIntervalSinceReferenceDate: 0))
    let minimumTolerance: DateSchedulerTime.Stride = 0
    private var planned: [Planned] = []
    private var lastID = 0

    func schedule(options: Never?, _ action: @escaping () -> Void) { action() }

    func schedule(
      after date: DateSchedulerTime, tolerance: DateSchedulerTime.Stride, options: Never?, _ action: @escaping () -> Void
    ) {
      plan(date, nil, action)
    }

    func schedule(
      after date: DateSchedulerTime, interval: DateSchedulerTime.Stride, tolerance: DateSchedulerTime.Stride, options: Never?,
      _ action: @escaping () -> Void
    ) -> any Cancellable {
      let id = plan(date, interval, action)
      return AnyCancellable { self.planned.removeAll { $0.id == id } }
    }

    @discardableResult
    private func plan(_ date: DateSchedulerTime, _ interval: DateSchedulerTime.Stride?, _ action: @escaping () -> Void) -> Int {
      lastID += 1
      planned.append(Planned(id: lastID, date: date, interval: interval, action: action))
      return lastID
    }

    func advance(by stride: DateSchedulerTime.Stride) {
      let end = now.advanced(by: stride)
      while let next = planned.indices.filter({ planned[$0].date <= end }).min(by: { planned[$0].date < planned[$1].date }) {
        let due = planned[next]
        now = due.date
        if let interval = due.interval { planned[next].date = due.date.advanced(by: interval) } else { planned.remove(at: next) }
        due.action()
      }
      now = end
    }
  }
#endif
