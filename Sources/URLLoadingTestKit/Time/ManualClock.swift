#if TestKit
  import Foundation
  import LoadingModel

  /// A clock that doesn't advance until the test moves it, so that timeouts and retries happen when the test decides.
  ///
  /// May be used from any thread; `advance(by:)` should be called by one task at a time. It runs the wakes that become due on the caller's thread,
  /// the earliest first, each with the clock set to its deadline.
  public final class ManualClock: Sendable {
    private struct Wake: Sendable {
      let number: Int
      let deadline: Instant
      let action: @Sendable () -> Void
    }

    private struct State: Sendable {
      var now = ManualClock.start
      /// The armed wakes, sorted by deadline; wakes with the same deadline in the order in which they were armed.
      var wakes: [Wake] = []
      var lastNumber = 0
    }

    /// The clock's first instant. It isn't zero, so that instants before it can be expressed.
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    /// The most wakes that one `advance(by:)` runs: a wake that arms itself again for the same instant would otherwise loop forever.
    private static let wakeLimit = 100_000

    private let state = Watched(State())
    private let origin = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    /// A clock at its start, with no wakes armed.
    public init() {}

    /// By how many seconds the clock has been advanced in total.
    public var elapsed: Double { now.seconds(since: ManualClock.start) }

    /// The deadlines of the armed wakes in seconds from now, earliest first.
    public var pendingWakes: [Double] {
      state.read { state in state.wakes.map { $0.deadline.seconds(since: state.now) } }
    }

    /// Moves the clock and runs every wake that becomes due, including wakes that are armed by others on the way. Returns how many ran.
    ///
    /// - Parameter seconds: How far the clock is moved; negative values and NaN count as zero.
    @discardableResult
    public func advance(by seconds: Double) -> Int {
      advance(to: now.advanced(bySeconds: seconds))
    }

    private func advance(to target: Instant) -> Int {
      var count = 0
      while count < ManualClock.wakeLimit, let action = takeWake(until: target) {
        action()
        count += 1
      }
      if count == ManualClock.wakeLimit { state.update { $0.now = max($0.now, target) } }
      return count
    }

    /// Moves the clock to the earliest deadline and runs the wakes that are due then. Returns false if no wake is armed.
    @discardableResult
    public func advanceToNextWake() -> Bool {
      guard let next = state.read({ $0.wakes.first?.deadline }) else { return false }
      return advance(to: next) > 0
    }

    /// Returns once a wake is armed whose deadline is within `seconds` from now, which means that the code under test has set its timer.
    ///
    /// Throws `CancellationError` if the task is cancelled first.
    public func waitForWake(within seconds: Double = .infinity) async throws {
      try await state.wait { state in
        guard let first = state.wakes.first else { return false }
        return first.deadline <= state.now.advanced(bySeconds: seconds)
      }
    }

    /// Removes and returns the next wake due until `target`; sets the clock to `target` if there is none. One step under the lock: a wake that is
    /// armed between the two would be missed.
    private func takeWake(until target: Instant) -> (@Sendable () -> Void)? {
      state.update { state in
        guard let first = state.wakes.first, first.deadline <= target else {
          state.now = max(state.now, target)
          return nil
        }
        state.wakes.removeFirst()
        state.now = max(state.now, first.deadline)
        return first.action
      }
    }
  }

  extension ManualClock: LoadClock {
    package var now: Instant { state.read(\.now) }

    /// The time of day at the clock's creation, in whole seconds, plus `elapsed`.
    package var date: Date { origin.addingTimeInterval(elapsed) }

    /// Arms a wake. If the deadline has passed, `action` runs at once on another thread, because the caller may hold a lock; with `Instant.max` it
    /// never runs.
    package func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { _ = plan(at: deadline, action) }

    /// Arms a wake as `wake` does, and returns an object that can cancel it. A wake that runs at once can't be cancelled.
    package func plan(at deadline: Instant, _ action: @escaping @Sendable () -> Void) -> PlannedWake {
      guard deadline < Instant(nanoseconds: .max) else { return PlannedWake {} }
      let number = state.update { state -> Int? in
        guard deadline > state.now else { return nil }
        state.lastNumber += 1
        let place = state.wakes.firstIndex { $0.deadline > deadline } ?? state.wakes.endIndex
        state.wakes.insert(Wake(number: state.lastNumber, deadline: deadline, action: action), at: place)
        return state.lastNumber
      }
      guard let number else {
        Task { action() }
        return PlannedWake {}
      }
      return PlannedWake { [state] in state.update { state in state.wakes.removeAll { $0.number == number } } }
    }
  }
#endif
