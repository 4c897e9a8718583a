// The machine's state for each key, and for each multiplexed connection.

extension PoolMachine {
  /// A multiplexed connection, which may serve several keys.
  final class Shared {
    let id: ConnectionID
    let acceptance: PeerAcceptance
    /// Whether it is an HTTP/3 connection, which is preferred to all connections over TCP.
    let isAlternative: Bool
    /// Exchanges that can begin now.
    var free: Int
    /// The time in nanoseconds since which it has no exchanges; nil while it has some.
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

    /// Counts an exchange that begins on the connection.
    func begin() {
      free -= 1
      idleSince = nil
    }
  }

  final class Group {
    // `@exclusivity(unchecked)`: only the machine uses it, which can't be used by two at a time, and nothing is called while a property is modified.
    let key: Key
    @exclusivity(unchecked) var idle: [(id: ConnectionID, since: UInt64, acceptance: PeerAcceptance)] = []
    @exclusivity(unchecked) var connecting = 0
    @exclusivity(unchecked) var inUse = 0
    /// The multiplexed connections that take new exchanges; HTTP/3 first.
    @exclusivity(unchecked) private(set) var shared: [Shared] = []
    @exclusivity(unchecked) var waiters = WaitingLine()
    @exclusivity(unchecked) var negotiated: NegotiatedProtocol

    init(_ key: Key, _ negotiated: NegotiatedProtocol) {
      self.key = key
      self.negotiated = negotiated
    }

    var isEmpty: Bool { idle.isEmpty && connecting == 0 && inUse == 0 && shared.isEmpty && waiters.isEmpty }
    var total: Int { idle.count + connecting + inUse }

    /// Whether there is a connection already with the same peer acceptance, and over the same transport (HTTP/3 or TCP).
    func hasShared(_ acceptance: PeerAcceptance, isAlternative: Bool) -> Bool {
      shared.contains { $0.acceptance == acceptance && $0.isAlternative == isAlternative }
    }

    func add(_ place: Shared) { shared.insert(place, at: place.isAlternative ? 0 : shared.count) }

    func remove(_ id: ConnectionID) { shared.removeAll { $0.id == id } }

    /// The number of attempts that the waiting loads could use: one while the servers may speak HTTP/2, else one for each load.
    var wantedAttempts: Int {
      let unserved = shared.isEmpty ? waiters.count : waiters.count(unservedBy: shared.lazy.map(\.acceptance))
      switch negotiated {
      case .single, .doubtful: return unserved
      case .unknown, .shared: return min(unserved, 1)
      }
    }
  }
}
