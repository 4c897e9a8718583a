#if TestKit
  import NIOCore

  /// A point where the server waits until the test lets it continue: the deterministic replacement for a delay.
  ///
  /// The test creates a gate and passes it to faults and script steps. May be used from any thread. Nothing waits at an open gate.
  ///
  ///     let gate = Gate()
  ///     server.enqueue(Reply(body: .text("late"), faults: [.delayBeforeHeaders(gate)]))
  ///     async let answer = session.data(from: server.url("/"))
  ///     try await gate.reached()   // the request has arrived and its reply is being held
  ///     gate.open()
  public final class Gate: Sendable {
    private enum Kind: Sendable {
      case manual
      case timed(seconds: Double)
    }

    private struct Waiting: Sendable {
      let ticket: Int
      let proceed: @Sendable () -> Void
    }

    private struct State: Sendable {
      var isOpen = false
      var permits = 0
      var arrivals = 0
      var waiting: [Waiting] = []
    }

    private let kind: Kind
    private let state: Watched<State>

    private init(kind: Kind, isOpen: Bool) {
      self.kind = kind
      state = Watched(State(isOpen: isOpen))
    }

    /// A gate that is closed until `open()` or `release(_:)` is called, unless it is created open.
    public convenience init(isOpen: Bool = false) { self.init(kind: .manual, isOpen: isOpen) }

    /// A gate that holds each arrival for `seconds` of real time: for demonstrations and manual use, not for tests.
    public static func timed(seconds: Double) -> Gate { Gate(kind: .timed(seconds: max(0, seconds)), isOpen: false) }

    /// Whether arrivals pass without waiting.
    public var isOpen: Bool { state.read(\.isOpen) }

    /// How often the server has arrived at this gate, including arrivals that didn't have to wait.
    public var arrivals: Int { state.read(\.arrivals) }

    /// How many arrivals are being held at the moment.
    public var waiting: Int { state.read(\.waiting.count) }

    /// Opens the gate: all waiting arrivals continue, and later ones pass without waiting.
    public func open() {
      let released = state.update { state in
        state.isOpen = true
        defer { state.waiting.removeAll() }
        return state.waiting
      }
      for waiting in released { waiting.proceed() }
    }

    /// Closes the gate: later arrivals wait. Permits of `release(_:)` that haven't been used are revoked.
    public func close() {
      state.update { state in
        state.isOpen = false
        state.permits = 0
      }
    }

    /// Lets `count` arrivals pass: first those that are waiting, then later ones.
    public func release(_ count: Int = 1) {
      let released = state.update { state in
        let now = Array(state.waiting.prefix(max(0, count)))
        state.waiting.removeFirst(now.count)
        state.permits += max(0, count) - now.count
        return now
      }
      for waiting in released { waiting.proceed() }
    }

    /// Returns once there have been `count` arrivals in total. Throws `CancellationError` if the task is cancelled.
    public func reached(_ count: Int = 1) async throws {
      try await state.wait { $0.arrivals >= count }
    }

    /// Registers an arrival. Returns nil if it may continue at once; otherwise a ticket, and `proceed` is called later, on any thread, at most once.
    func arrive(on eventLoop: any EventLoop, proceed: @escaping @Sendable () -> Void) -> Int? {
      let ticket = state.update { state -> Int? in
        state.arrivals += 1
        if state.isOpen { return nil }
        if state.permits > 0 {
          state.permits -= 1
          return nil
        }
        state.waiting.append(Waiting(ticket: state.arrivals, proceed: proceed))
        return state.arrivals
      }
      if let ticket, case .timed(let seconds) = kind {
        eventLoop.scheduleTask(in: .nanoseconds(Int64(seconds > 0 ? min(seconds, 1e6) * 1e9 : 0))) { self.leave(ticket)?() }
      }
      return ticket
    }

    /// Removes a waiting arrival, because its time is over or its connection is closed. Returns its `proceed`, which isn't called any more; nil if it
    /// wasn't waiting.
    @discardableResult
    func leave(_ ticket: Int) -> (@Sendable () -> Void)? {
      state.update { state in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return state.waiting.remove(at: index).proceed
      }
    }
  }
#endif
