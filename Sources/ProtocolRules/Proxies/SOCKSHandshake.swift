import LoadingModel

/// The client's side of the handshake that opens a tunnel through a SOCKS proxy. A value without I/O: it is fed the proxy's bytes.
package struct SOCKSHandshake: Sendable {
  package enum Step: Sendable, Equatable {
    case more
    case send([UInt8])
    case open
  }

  private enum Version: Sendable {
    case four(SOCKS4Handshake)
    case five(SOCKS5Handshake)
  }

  private var version: Version
  private var unread: [UInt8] = []
  private let origin: Origin

  /// - Parameters:
  ///   - address: The origin's address if this client has looked it up; nil lets the proxy look the name up.
  /// - Throws: An error for a name, user or password that the protocol can't carry.
  package init(_ proxy: Proxy, to origin: Origin, address: IPAddress?) throws(LoadError) {
    self.origin = origin
    let target = SOCKSTarget(origin, address ?? IPAddress(origin.host))
    switch proxy.kind {
    case .socks4, .socks4a: version = .four(try SOCKS4Handshake(target, user: proxy.login?.user ?? ""))
    case .socks5, .socks5h, .http, .https: version = .five(try SOCKS5Handshake(target, proxy.login))
    }
  }

  /// The bytes that the client sends first.
  package var opening: [UInt8] {
    switch version {
    case .four(let handshake): handshake.opening
    case .five(let handshake): handshake.opening
    }
  }

  /// Takes bytes that the proxy has sent, and returns the next step. Throws if the proxy refuses, or sends something out of sequence.
  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(LoadError) -> Step {
    unread.append(contentsOf: bytes)
    let step: Step
    switch version {
    case .four(let handshake): step = try handshake.receive(&unread)
    case .five(var handshake):
      step = try handshake.receive(&unread)
      version = .five(handshake)
    }
    // With HTTP the client speaks first through the tunnel, so that no byte may follow the reply; a stream's server may speak first.
    guard step == .more || unread.isEmpty || (step == .open && origin.isStream) else { throw SOCKSHandshake.outOfTurn }
    return step
  }

  /// Bytes that a stream's server has sent through the open tunnel, right after the proxy's reply.
  package mutating func takeGreeting() -> [UInt8] {
    defer { unread = [] }
    return unread
  }

  static var outOfTurn: LoadError {
    refusal(.socks5BadState, "the proxy's answer isn't SOCKS, or says more than it should; check the proxy's kind and port")
  }

  static func refusal(_ code: ProxyFault.Code, _ message: String) -> LoadError {
    var error = LoadError(.cannotConnectToHost, .connect, message)
    error.proxy = ProxyFault(code)
    return error
  }
}

/// The host and port that a SOCKS proxy is to connect to: an address, or a name that the proxy looks up.
struct SOCKSTarget: Sendable {
  enum Host: Sendable {
    case address(IPAddress)
    case name([UInt8])
  }

  let host: Host
  let port: Int

  init(_ origin: Origin, _ address: IPAddress?) {
    host = address.map { .address($0) } ?? .name(Array(origin.host.utf8))
    port = origin.port
  }

  var portBytes: [UInt8] { [UInt8(truncatingIfNeeded: port >> 8), UInt8(truncatingIfNeeded: port)] }
}
