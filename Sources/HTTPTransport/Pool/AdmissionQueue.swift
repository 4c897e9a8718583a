import LoadingModel
import NIOCore
import ProtocolRules

/// Bounds how many loads are on their way to a connection at once; the others wait here, where a load costs little.
///
/// A load that has begun owns the frames of all its stages: tens of kilobytes. Where thousands are started at once for servers that take a
/// few at a time, only those next in line need to have begun. Loads to one server don't wait for those to others: beyond a number for all,
/// each origin lets in a few of its own.
///
/// Owned by the session; confined to its event loop.
package final class AdmissionQueue: AdmissionGate, @unchecked Sendable {
  // @unchecked: confined to the session's event loop.
  // `@exclusivity(unchecked)`: both properties are values whose changes call nothing back; the check would cost a call of the runtime for
  // each load.

  /// A load that hasn't begun.
  private final class Waiter: Interruptible {
    let context: LoadContext
    let origin: Origin
    let begin: () -> Void
    let refuse: (LoadError) -> Void
    unowned let queue: AdmissionQueue
    var id: Int

    init(
      _ context: LoadContext, _ origin: Origin, _ id: Int, _ queue: AdmissionQueue, begin: @escaping () -> Void,
      refuse: @escaping (LoadError) -> Void
    ) {
      self.context = context
      self.origin = origin
      self.id = id
      self.queue = queue
      self.begin = begin
      self.refuse = refuse
    }

    func interrupt(_ error: LoadError) {
      queue.remove(self)
      refuse(error)
    }

    func suspensionEnded() {}

    func priorityChanged() { queue.rejoin(self) }
  }

  /// What concerns one origin.
  private struct OriginQueue {
    var line = WaitingLine()
    /// Loads on their way with a ticket of the origin's.
    var admitted = 0
  }

  /// Loads on their way, to whatever origin.
  package static let openTickets = 128
  /// Loads on their way to one origin beyond those.
  package static let ticketsPerOrigin = 4

  @exclusivity(unchecked) private var open = 0
  private var originQueues: [Origin: OriginQueue] = [:]
  private var waiters: [Int: Waiter] = [:]
  /// Origins for which loads wait, in the order in which they get open tickets.
  @exclusivity(unchecked) private var crowded = CircularBuffer<Origin>()
  private var nextID = 0

  package init() {}

  /// Whether the load may begin at once. It holds a ticket then.
  package func admits(_ context: LoadContext, to origin: Origin) -> Bool {
    // A suspended load doesn't count as under way.
    guard !context.isSuspended, context.failure == nil else { return true }
    if open < AdmissionQueue.openTickets, crowded.isEmpty {
      open += 1
      context.hold(.open, of: self)
      return true
    }
    guard originQueues[origin, default: OriginQueue()].admitted < AdmissionQueue.ticketsPerOrigin else { return false }
    originQueues[origin, default: OriginQueue()].admitted += 1
    context.hold(.of(origin), of: self)
    return true
  }

  /// The load that wasn't admitted waits: `begin` is called when its turn has come, or `refuse` when it has been interrupted.
  package func wait(
    _ context: LoadContext, to origin: Origin, begin: @escaping () -> Void, refuse: @escaping (LoadError) -> Void
  ) {
    nextID += 1
    let waiter = Waiter(context, origin, nextID, self, begin: begin, refuse: refuse)
    join(waiter)
    context.waits(on: waiter)
  }

  package func giveBack(_ ticket: AdmissionTicket) {
    switch ticket {
    case .none: break
    case .open:
      open -= 1
      if !crowded.isEmpty { admitFromCrowd() }
    case .of(let origin):
      originQueues[origin]?.admitted -= 1
      if let waiter = next(to: origin) {
        originQueues[origin]?.admitted += 1
        begin(waiter, .of(origin))
      }
      tidy(origin)
    }
  }

  /// An open ticket is free: the origins with a crowd get it in turn.
  private func admitFromCrowd() {
    while open < AdmissionQueue.openTickets, let origin = crowded.popFirst() {
      let waiter = next(to: origin)
      if originQueues[origin]?.line.isEmpty == false { crowded.append(origin) } else { tidy(origin) }
      if let waiter {
        open += 1
        begin(waiter, .open)
      }
    }
  }

  /// The next load to `origin` that needs a ticket. Suspended ones before it begin without: they wait for their app, not for a connection.
  private func next(to origin: Origin) -> Waiter? {
    while let id = originQueues[origin]?.line.popFirst() {
      guard let waiter = waiters.removeValue(forKey: id) else { continue }
      guard waiter.context.isSuspended else { return waiter }
      begin(waiter, .none)
    }
    return nil
  }

  private func begin(_ waiter: Waiter, _ ticket: AdmissionTicket) {
    waiter.context.waits(on: nil)
    waiter.context.hold(ticket, of: self)
    waiter.begin()
  }

  private func join(_ waiter: Waiter) {
    waiters[waiter.id] = waiter
    if originQueues[waiter.origin, default: OriginQueue()].line.isEmpty { crowded.append(waiter.origin) }
    originQueues[waiter.origin, default: OriginQueue()].line.join(waiter.id, priority: waiter.context.priority.level, takes: .unasked)
  }

  private func remove(_ waiter: Waiter) {
    waiters[waiter.id] = nil
    originQueues[waiter.origin]?.line.leave(waiter.id)
    tidy(waiter.origin)
  }

  private func rejoin(_ waiter: Waiter) {
    remove(waiter)
    nextID += 1
    waiter.id = nextID
    join(waiter)
  }

  /// Forgets an origin for which no load waits.
  private func tidy(_ origin: Origin) {
    guard let originQueue = originQueues[origin], originQueue.line.isEmpty else { return }
    if let index = crowded.firstIndex(of: origin) { crowded.remove(at: index) }
    if originQueue.admitted == 0 { originQueues[origin] = nil }
  }
}
