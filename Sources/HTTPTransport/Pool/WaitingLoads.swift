import LoadingModel

/// The loads that wait for connections of one pool, and the assignment of attempts to the loads whose apps they ask. A value of the pool.
///
/// The machine's `WaitingLine` decides in which order loads to a destination are served; it is passed to the functions here, the next load first.
struct WaitingLoads {
  /// The numbers reserved for one load: each time it comes back to wait, it gets the next of them.
  private static let turnsPerLoad = 256

  private var loads: [Int: WaitingLoad] = [:]
  private var lastTurn = 0

  var isEmpty: Bool { loads.isEmpty }
  var all: Dictionary<Int, WaitingLoad>.Values { loads.values }

  subscript(id: Int) -> WaitingLoad? { loads[id] }

  /// The load's number in waiting lines. A load that comes back because a server refused its request (GOAWAY) precedes all loads that began later:
  /// otherwise a server that refuses often could delay it forever.
  mutating func turn(of context: LoadContext) -> Int {
    if context.terms.turn == 0 || context.terms.turn % WaitingLoads.turnsPerLoad == WaitingLoads.turnsPerLoad - 1 {
      lastTurn += WaitingLoads.turnsPerLoad
      context.terms.turn = lastTurn
    } else {
      context.terms.turn += 1
    }
    return context.terms.turn
  }

  mutating func add(_ load: WaitingLoad) { loads[load.id] = load }

  /// Removes a load; nil if it has left already.
  mutating func remove(_ id: Int) -> WaitingLoad? { loads.removeValue(forKey: id) }

  /// Whether the load waits and its app may be asked about its connection's server.
  func isAsked(_ id: Int) -> Bool { loads[id]?.evaluator != nil }

  /// Whether the app of any of these loads may be asked.
  func areAsked(_ line: [Int]) -> Bool { line.contains(where: isAsked) }

  /// The load for which an attempt's tunnel and handshake are made: the one that caused it, or else the next without an attempt of its own.
  func asker(for attempt: ConnectAttempt, in line: @autoclosure () -> [Int]) -> WaitingLoad? {
    if let known = attempt.asker.flatMap({ loads[$0] }) { return known }
    let candidates = [attempt.cause].compactMap(\.self) + line()
    let load = candidates.lazy.compactMap { loads[$0] }.first { $0.attempt == nil }
    assign(load, to: attempt)
    return load
  }

  /// Assigns another load to an attempt over TCP whose own load has left: the next in line whose app can be asked.
  func successor(for attempt: ConnectAttempt, _ decider: Int?, in line: [Int]) -> PeerChallengeHandler.Load? {
    let load = line.lazy.compactMap { loads[$0] }.first { $0.attempt == nil && $0.mayBeAsked(as: decider) }
    if load != nil { attempt.hasYielded = false }
    assign(load, to: attempt)
    return load?.asked
  }

  /// Assigns the load whose app an attempt over QUIC asks: the one that its earlier handshake asked, or else one that no attempt is made for or whose
  /// attempt over TCP hasn't asked its app yet, and then won't.
  ///
  /// - Parameter decider: The number of the delegate that has been asked before; nil for any.
  func challenger(for attempt: ConnectAttempt, _ decider: Int?, in line: [Int]) -> PeerChallengeHandler.Load? {
    if let own = asker(of: attempt), own.mayBeAsked(as: decider) { return own.asked }
    let loads = line.compactMap { self.loads[$0] }.filter { $0.mayBeAsked(as: decider) }
    let load = loads.first { $0.attempt == nil } ?? loads.first { $0.attempt !== attempt && $0.attempt?.questions?.hasAsked == false }
    guard let load else { return nil }
    if let other = load.attempt {
      other.questions?.yield()
      other.asker = nil
      other.hasYielded = true
    }
    assign(load, to: attempt)
    return load.asked
  }

  private func assign(_ load: WaitingLoad?, to attempt: ConnectAttempt) {
    load?.attempt = attempt
    attempt.asker = load?.id
  }

  /// The waiting load that is assigned to the attempt; nil if there is none.
  func asker(of attempt: ConnectAttempt) -> WaitingLoad? {
    guard let asker = attempt.asker, let load = loads[asker], load.attempt === attempt else { return nil }
    return load
  }

  /// Removes the assignment of a load to `attempt`, so that another attempt can be made for it.
  func release(from attempt: ConnectAttempt) { asker(of: attempt)?.attempt = nil }

  /// The loads in line that can use a connection which the app of `asker` accepts: that load, and those with the same delegate.
  func sharing(_ asker: Int, in line: [Int]) -> Set<Int> {
    let decider = loads[asker]?.decider
    return Set(line.filter { $0 == asker || isAsked($0) && loads[$0]?.decider == decider })
  }
}
