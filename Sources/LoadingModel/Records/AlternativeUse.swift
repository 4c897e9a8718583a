/// Why an https request used HTTP/3, or why it didn't.
package enum AlternativeUse: Codable, Sendable, Hashable {
  case used
  /// HTTP/3 was possible, but a connection over TCP was there already, or was ready first.
  case lostRace
  /// HTTP/3 has failed at the server, and isn't tried before `until`.
  case broken(until: Instant)
  /// Neither the server, the DNS nor the request has said that the origin is served over HTTP/3.
  case noneKnown
  /// The request went through a proxy: those that are supported transport only TCP.
  case proxy
  /// The session's settings rule HTTP/3 out, the server has asked for HTTP/1.1, or the load needs a connection of its own.
  case ruledOut
  /// The package was built without HTTP/3.
  case notBuilt
}
