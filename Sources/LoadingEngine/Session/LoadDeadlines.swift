import HTTPTransport
import LoadingModel
import NIOCore

/// The loads of a session that are under way, and the one wake of the clock for all their deadlines.
///
/// Its session's, confined to the session's event loop.
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

  /// The load is under way, if it wasn't: it may have waited before it began.
  func add(_ context: LoadContext) {
    guard context.place < 0 else { return }
    context.place = loads.count
    loads.append(context)
    planWake(at: context.deadline)
  }

  func remove(_ context: LoadContext) {
    // The last one takes its place: no search, no hashing.
    if let last = loads.popLast(), last !== context {
      loads[context.place] = last
      last.place = context.place
    }
    context.place = -1
  }

  /// The load's deadline may be earlier than it was.
  func moved(of context: LoadContext) {
    if context.place >= 0 { planWake(at: context.deadline) }
  }

  /// Nothing is under way: without this, what was planned would stay until the last timeout is over.
  func cancel() {
    wake?.cancel()
    (wake, plannedWake) = (nil, nil)
  }

  /// One wake serves all loads: deadlines mostly move away from it, and a wake that comes too early plans the next.
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
    // A legal race: an earlier wake was planned after this one and has already looked.
    guard plannedWake == wake else { return }
    (self.wake, plannedWake) = (nil, nil)
    let now = clock.now
    var earliest = Instant(nanoseconds: .max)
    for context in loads {
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
  /// How far the load is, read off its metrics.
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
