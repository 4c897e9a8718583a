import HTTPTransport
import LoadingModel
import NIOCore

/// The loads of a session that are under way, and a single wake of the clock for all their deadlines.
///
/// Owned by the session; confined to its event loop.
final class LoadDeadlines: @unchecked Sendable {
  // @unchecked: confined to the event loop; `eventLoop` and `clock` are immutable.
  private let eventLoop: any EventLoop
  private let clock: any LoadClock
  @exclusivity(unchecked) private(set) var loads: [LoadContext] = []
  @exclusivity(unchecked) private var plannedWake: Instant?
  @exclusivity(unchecked) private var wake: PlannedWake?

  init(eventLoop: any EventLoop, clock: any LoadClock) {
    self.eventLoop = eventLoop
    self.clock = clock
  }

  var isEmpty: Bool { loads.isEmpty }

  /// Adds a load that is under way; no effect if it was added before, when it had to wait.
  func add(_ context: LoadContext) {
    guard context.place < 0 else { return }
    context.place = loads.count
    loads.append(context)
    planWake(at: context.nextLook(clock.now))
  }

  func remove(_ context: LoadContext) {
    // The last load of the list takes the removed one's place, which needs no search.
    if let last = loads.popLast(), last !== context {
      loads[context.place] = last
      last.place = context.place
    }
    context.place = -1
  }

  /// To be called when a load's deadline may have become earlier.
  func moved(of context: LoadContext) {
    if context.place >= 0 { planWake(at: context.nextLook(clock.now)) }
  }

  /// Cancels the wake, because no load is under way: it would stay planned until the last timeout is over.
  func cancel() {
    wake?.cancel()
    (wake, plannedWake) = (nil, nil)
  }

  /// Plans a wake at `deadline`, unless an earlier one is planned. One wake serves all loads: deadlines mostly move later, and a wake that comes
  /// too early plans the next.
  private func planWake(at deadline: Instant) {
    if let plannedWake, plannedWake <= deadline { return }
    guard deadline.nanoseconds != .max else { return }
    wake?.cancel()
    plannedWake = deadline
    wake = clock.plan(at: deadline) { [weak self] in
      guard let self else { return }
      eventLoop.execute { self.expire(deadline) }
    }
  }

  private func expire(_ wake: Instant) {
    // A wake that was replaced by an earlier one may already have been on its way to the event loop: it is ignored, because the other one has
    // been planned in its place.
    guard plannedWake == wake else { return }
    (self.wake, plannedWake) = (nil, nil)
    let now = clock.now
    var earliest = Instant(nanoseconds: .max)
    for context in loads {
      context.lookAtSending()
      if context.deadline <= now {
        context.interrupt(LoadDeadlines.timeout(context, now))
      } else {
        earliest = min(earliest, context.nextLook(now))
      }
    }
    planWake(at: earliest)
  }

  private static func timeout(_ context: LoadContext, _ now: Instant) -> LoadError {
    let phase = context.phase
    if context.resourceDeadline <= now {
      return LoadError(.timedOut, phase, "the load did not end within timeoutIntervalForResource (while \(phase.activity))")
    }
    return LoadError(
      .timedOut, phase,
      "nothing moved for \(context.idleTimeout.formatted(.number)) seconds (while \(phase.activity)); raise timeoutIntervalForRequest if the server is that slow"
    )
  }
}

extension LoadContext {
  /// The phase that the load has reached, by the times in its record.
  fileprivate var phase: LoadError.Phase {
    if record.responseStart != nil { return .body }
    if record.requestEnd != nil { return .head }
    if record.requestStart != nil { return .send }
    return awaitedPhase ?? .connect
  }
}

extension LoadError.Phase {
  fileprivate var activity: String {
    switch self {
    case .admission: "waiting to begin"
    case .resolve: "looking up the host"
    case .connect: "connecting"
    case .secure: "securing the connection"
    case .send: "sending the request"
    case .head: "waiting for the response"
    case .body, .decode: "reading the body"
    case .redirect: "following a redirect"
    case .delivery: "delivering"
    }
  }
}
