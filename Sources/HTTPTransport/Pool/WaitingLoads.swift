import LoadingModel

/// The loads that wait for connections of one pool, and whose app which attempt asks. A value of the pool's.
///
/// In what order loads of one destination are served is the machine's (`WaitingLine`), which passes the line in: the next load first.
struct WaitingLoads {
  /// Numbers that belong to one load.
  private static let turnsPerLoad = 256

  private var loads: [Int: WaitingLoad] = [:]
  private var lastTurn = 0

  var isEmpty: Bool { loads.isEmpty }
  var all: Dictionary<Int, WaitingLoad>.Values { loads.values }

  subscript(id: Int) -> WaitingLoad? { loads[id] }

  /// The load's number in waiting lines. One that comes back, because a server refused it, stands before all that set out later: a server
  /// that sends GOAWAY after every few requests refuses no load for ever.
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

  /// nil if it has left already.
  mutating func remove(_ id: Int) -> WaitingLoad? { loads.removeValue(forKey: id) }

  /// Whether the app of a load that waits has a say in what connection it gets.
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

  /// The next load whose app can be asked about an attempt over TCP that has lost its own.
  func successor(for attempt: ConnectAttempt, _ decider: Int?, in line: [Int]) -> PeerChallengeHandler.Load? {
    let load = line.lazy.compactMap { loads[$0] }.first { $0.attempt == nil && $0.mayBeAsked(as: decider) }
    if load != nil { attempt.hasYielded = false }
    assign(load, to: attempt)
    return load?.asked
  }

  /// The load whose app an attempt over QUIC asks: the one that an earlier handshake of the attempt has asked, or else one whose attempt over
  /// TCP hasn't asked anything, which then won't.
  ///
  /// - Parameter decider: The delegate that has been asked before; nil for any.
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

  /// The load that waits and whose app the attempt asks, or has just asked.
  func asker(of attempt: ConnectAttempt) -> WaitingLoad? {
    guard let asker = attempt.asker, let load = loads[asker], load.attempt === attempt else { return nil }
    return load
  }

  /// From now on another attempt may be made for the load that this one was made for.
  func release(from attempt: ConnectAttempt) { asker(of: attempt)?.attempt = nil }

  /// The loads in line that a connection serves which the app of `asker` accepts: that one, and others with its delegate.
  func sharing(_ asker: Int, in line: [Int]) -> Set<Int> {
    let decider = loads[asker]?.decider
    return Set(line.filter { $0 == asker || isAsked($0) && loads[$0]?.decider == decider })
  }
}
