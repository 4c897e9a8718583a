import LoadingModel
import NIOCore
import ProtocolRules

/// Limits how many loads look for a connection at the same time; other loads wait here, before their stages begin.
///
/// A load that has begun uses tens of kilobytes for the frames of its stages. If thousands are started for servers that accept a few connections
/// each, only those next in line need to have begun. Loads to one server don't wait for loads to others: beyond the common limit, each origin has
/// a few tickets of its own.
///
/// Owned by the session; confined to its event loop.
package final class AdmissionQueue: AdmissionGate, @unchecked Sendable {
  // @unchecked: confined to the session's event loop.
  // `@exclusivity(unchecked)`: both properties are values whose changes call nothing back; the check would cost a call of the runtime for
  // each load.

  /// A load that waits for a ticket and hasn't begun its stages.
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

  /// The loads of one origin.
  private struct OriginQueue {
    var line = WaitingLine()
    /// The number of loads that hold one of the origin's own tickets.
    var admitted = 0
  }

  /// The number of tickets that loads to all origins share.
  package static let openTickets = 128
  /// The number of tickets that each origin has besides.
  package static let ticketsPerOrigin = 4

  @exclusivity(unchecked) private var open = 0
  private var originQueues: [Origin: OriginQueue] = [:]
  private var waiters: [Int: Waiter] = [:]
  /// Origins for which loads wait, in the order in which they get open tickets.
  @exclusivity(unchecked) private var crowded = CircularBuffer<Origin>()
  private var nextID = 0

  package init() {}

  /// Whether the load may begin at once; it then holds a ticket, unless it is suspended or interrupted.
  package func admits(_ context: LoadContext, to origin: Origin) -> Bool {
    // A suspended or interrupted load doesn't look for a connection: it needs no ticket.
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

  /// Lets a load that wasn't admitted wait: `begin` is called when it gets a ticket, `refuse` when it is interrupted before.
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

  /// Gives free open tickets to waiting loads, one origin after the other.
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

  /// Removes and returns the next load to `origin` that needs a ticket. Suspended loads before it begin without one, as they don't look for a
  /// connection.
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

  /// Removes an origin's entries once no load waits for it.
  private func tidy(_ origin: Origin) {
    guard let originQueue = originQueues[origin], originQueue.line.isEmpty else { return }
    if let index = crowded.firstIndex(of: origin) { crowded.remove(at: index) }
    if originQueue.admitted == 0 { originQueues[origin] = nil }
  }
}
