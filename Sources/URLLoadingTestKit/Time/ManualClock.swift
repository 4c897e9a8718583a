#if TestKit
  import Foundation
  import LoadingModel

  /// A clock that doesn't advance until the test moves it: timeouts and retries happen when the test says so.
  ///
  /// May be used from any thread; `advance(by:)` is meant for one task at a time. Wakes that fall due run inside `advance(by:)`, on the
  /// caller's thread, earliest first, each with the clock at its deadline.
  public final class ManualClock: Sendable {
    private struct Wake: Sendable {
      let number: Int
      let deadline: Instant
      let action: @Sendable () -> Void
    }

    private struct State: Sendable {
      var now = ManualClock.start
      /// In order of their deadlines; those of equal deadline in order of arrival.
      var wakes: [Wake] = []
      var lastNumber = 0
    }

    /// Not zero, so that a time before the clock's start can be expressed.
    private static let start = Instant(nanoseconds: 1_000_000_000_000)
    /// How many wakes one `advance(by:)` runs at most: a wake that re-arms itself for the same instant must not hold the test forever.
    private static let wakeLimit = 100_000

    private let state = Watched(State())
    private let origin = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down))

    /// A clock at its start, without wakes.
    public init() {}

    /// How many seconds the clock has been advanced.
    public var elapsed: Double { now.seconds(since: ManualClock.start) }

    /// The wakes that are armed: seconds from now, earliest first.
    public var pendingWakes: [Double] {
      state.read { state in state.wakes.map { $0.deadline.seconds(since: state.now) } }
    }

    /// Moves the clock and runs every wake that falls due, including those armed meanwhile. Returns how many ran.
    ///
    /// - Parameter seconds: How far; negative values and NaN count as zero.
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

    /// Moves the clock to the earliest wake and runs what is due then. False if none is armed.
    @discardableResult
    public func advanceToNextWake() -> Bool {
      guard let next = state.read({ $0.wakes.first?.deadline }) else { return false }
      return advance(to: next) > 0
    }

    /// Returns once a wake is armed that falls due within `seconds` from now: the code under test has set its timer.
    ///
    /// Throws `CancellationError` if the task is cancelled first.
    public func waitForWake(within seconds: Double = .infinity) async throws {
      try await state.wait { state in
        guard let first = state.wakes.first else { return false }
        return first.deadline <= state.now.advanced(bySeconds: seconds)
      }
    }

    /// The next wake that falls due; if there is none, the clock is set to `target`: in one step, or a wake armed in between would be missed.
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

    /// The time of day when the clock was made, in whole seconds, and what it was advanced since.
    package var date: Date { origin.addingTimeInterval(elapsed) }

    /// A deadline that has passed runs at once, on another thread, so that the caller may hold a lock; one of `Instant.max` never runs.
    package func wake(at deadline: Instant, _ action: @escaping @Sendable () -> Void) { _ = plan(at: deadline, action) }

    /// As `wake`; a wake that runs at once isn't cancelled.
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
