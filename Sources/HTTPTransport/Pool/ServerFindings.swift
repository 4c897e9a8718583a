import LoadingModel

/// What servers have shown of themselves, and which decides how later loads are connected to them. A value of the pool's.
struct ServerFindings {
  /// Origins that are remembered, of each kind.
  static let limit = 1024

  private var restricted = BoundedTable<Origin, Void>(limit: limit)
  private var separate = BoundedTable<Origin, Void>(limit: limit)
  private var unpipelined = BoundedTable<Origin, Void>(limit: limit)

  /// Whether any origin has asked for HTTP/1.1.
  var restrictAny: Bool { !restricted.isEmpty }

  /// The origin has asked for HTTP/1.1 (HTTP_1_1_REQUIRED; RFC 9113, 7).
  mutating func restrict(_ origin: Origin) { restricted.insert(origin) }

  func isRestricted(_ origin: Origin) -> Bool { !restricted.isEmpty && restricted.contains(origin) }

  /// The origin doesn't go over other origins' connections: a server has said that it doesn't answer for it.
  mutating func separate(_ origin: Origin) { separate.insert(origin) }

  func isSeparate(_ origin: Origin) -> Bool { separate.contains(origin) }

  /// The origin's server has broken a connection on which requests followed one another.
  mutating func pipelineBroke(_ origin: Origin) { unpipelined.insert(origin) }

  /// A proxy that forwards is one more server that may mix up what it does.
  func allowsPipelining(_ destination: Destination) -> Bool {
    if case .forward = destination.route { return false }
    return !unpipelined.contains(destination.origin)
  }
}
