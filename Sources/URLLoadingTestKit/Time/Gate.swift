#if TestKit
  import NIOCore

  /// A point where the server waits until the test lets it continue: the deterministic replacement for a delay.
  ///
  /// Made by the test, handed to faults and script steps. May be used from any thread. What passes an open gate doesn't wait.
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

    /// A gate that stays closed until `open()` or `release(_:)`, unless it is made open.
    public convenience init(isOpen: Bool = false) { self.init(kind: .manual, isOpen: isOpen) }

    /// A gate that holds each arrival for `seconds` of real time: for demonstrations and manual use, not for tests.
    public static func timed(seconds: Double) -> Gate { Gate(kind: .timed(seconds: max(0, seconds)), isOpen: false) }

    /// Whether arrivals pass without waiting.
    public var isOpen: Bool { state.read(\.isOpen) }

    /// How often the server has come to this gate, waiting or not.
    public var arrivals: Int { state.read(\.arrivals) }

    /// How many arrivals are being held at the moment.
    public var waiting: Int { state.read(\.waiting.count) }

    /// Lets everything that waits continue, and everything that comes later.
    public func open() {
      let released = state.update { state in
        state.isOpen = true
        defer { state.waiting.removeAll() }
        return state.waiting
      }
      for waiting in released { waiting.proceed() }
    }

    /// Holds what comes from now on; what has passed isn't called back.
    public func close() {
      state.update { state in
        state.isOpen = false
        state.permits = 0
      }
    }

    /// Lets `count` arrivals pass, those that wait already first, then those to come.
    public func release(_ count: Int = 1) {
      let released = state.update { state in
        let now = Array(state.waiting.prefix(max(0, count)))
        state.waiting.removeFirst(now.count)
        state.permits += max(0, count) - now.count
        return now
      }
      for waiting in released { waiting.proceed() }
    }

    /// Returns once the server has come to this gate `count` times in all. Throws `CancellationError` if the task is cancelled.
    public func reached(_ count: Int = 1) async throws {
      try await state.wait { $0.arrivals >= count }
    }

    /// Records an arrival. nil if it may continue at once; otherwise the ticket under which it is held, and `proceed` is called later, on any
    /// thread, at most once.
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

    /// Takes an arrival out, because its time is over or its connection is closed; returns what would have made it proceed.
    @discardableResult
    func leave(_ ticket: Int) -> (@Sendable () -> Void)? {
      state.update { state in
        guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
        return state.waiting.remove(at: index).proceed
      }
    }
  }
#endif
