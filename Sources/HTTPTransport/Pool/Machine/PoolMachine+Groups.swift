// What the machine keeps of each key.

extension PoolMachine {
  /// A connection that carries many exchanges, perhaps of several keys.
  final class Shared {
    let id: ConnectionID
    let acceptance: PeerAcceptance
    /// Whether it is of HTTP/3, and preferred to whatever there is over TCP.
    let isAlternative: Bool
    /// Exchanges that can begin now.
    var free: Int
    /// nil while it carries any.
    var idleSince: UInt64?
    var keys: [Key]

    init(_ id: ConnectionID, _ key: Key, _ acceptance: PeerAcceptance, isAlternative: Bool, free: Int, idleSince: UInt64?) {
      self.id = id
      self.acceptance = acceptance
      self.isAlternative = isAlternative
      self.free = free
      self.idleSince = idleSince
      keys = [key]
    }

    /// One more exchange takes a place.
    func begin() {
      free -= 1
      idleSince = nil
    }
  }

  final class Group {
    var idle: [(id: ConnectionID, since: UInt64, acceptance: PeerAcceptance)] = []
    var connecting = 0
    var inUse = 0
    /// Those that take new exchanges, the alternatives first.
    private(set) var shared: [Shared] = []
    var waiters = WaitingLine()
    var negotiated: NegotiatedProtocol

    init(_ negotiated: NegotiatedProtocol) { self.negotiated = negotiated }

    var isEmpty: Bool { idle.isEmpty && connecting == 0 && inUse == 0 && shared.isEmpty && waiters.isEmpty }
    var total: Int { idle.count + connecting + inUse }

    /// Whether there is one already that does what a new one would.
    func hasShared(_ acceptance: PeerAcceptance, isAlternative: Bool) -> Bool {
      shared.contains { $0.acceptance == acceptance && $0.isAlternative == isAlternative }
    }

    func add(_ place: Shared) { shared.insert(place, at: place.isAlternative ? 0 : shared.count) }

    func remove(_ id: ConnectionID) { shared.removeAll { $0.id == id } }

    /// How many attempts those who wait could use.
    var wantedAttempts: Int {
      let unserved = shared.isEmpty ? waiters.count : waiters.count(unservedBy: shared.lazy.map(\.acceptance))
      switch negotiated {
      case .single, .doubtful: return unserved
      case .unknown, .shared: return min(unserved, 1)
      }
    }
  }
}
