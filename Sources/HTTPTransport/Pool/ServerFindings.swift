import LoadingModel

/// Facts learned about servers that decide how later loads connect to them. A value of the pool.
struct ServerFindings {
  /// The most origins that are remembered for each kind of fact.
  static let limit = 1024

  private var restricted = BoundedTable<Origin, Void>(limit: limit)
  private var separate = BoundedTable<Origin, Void>(limit: limit)
  private var unpipelined = BoundedTable<Origin, Void>(limit: limit)

  /// Whether any origin has asked for HTTP/1.1. Kept beside the table, which would be copied to be asked for each load.
  private(set) var restrictAny = false

  /// The origin has asked for HTTP/1.1 (HTTP_1_1_REQUIRED; RFC 9113, 7).
  mutating func restrict(_ origin: Origin) {
    restricted.insert(origin)
    restrictAny = true
  }

  func isRestricted(_ origin: Origin) -> Bool { !restricted.isEmpty && restricted.contains(origin) }

  /// Remembers that the origin isn't coalesced with others: a server has answered 421 to a request for it.
  mutating func separate(_ origin: Origin) { separate.insert(origin) }

  func isSeparate(_ origin: Origin) -> Bool { separate.contains(origin) }

  /// Remembers that the origin's server has closed a connection with pipelined requests unanswered.
  mutating func pipelineBroke(_ origin: Origin) { unpipelined.insert(origin) }

  /// Whether requests may be pipelined to `destination`. Never through a forwarding proxy, which is one more server that may confuse responses.
  func allowsPipelining(_ destination: Destination) -> Bool {
    if case .forward = destination.route { return false }
    return !unpipelined.contains(destination.origin)
  }
}
