import LoadingModel

/// The client's side of opening a tunnel through a SOCKS proxy: a machine that is fed what the proxy sends.
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
  ///   - address: The origin's address, where it is to be looked up here; nil lets the proxy do it.
  /// - Throws: For a name, user or password that the protocol can't carry.
  package init(_ proxy: Proxy, to origin: Origin, address: IPAddress?) throws(LoadError) {
    self.origin = origin
    let target = SOCKSTarget(origin, address ?? IPAddress(origin.host))
    switch proxy.kind {
    case .socks4, .socks4a: version = .four(try SOCKS4Handshake(target, user: proxy.login?.user ?? ""))
    case .socks5, .socks5h, .http, .https: version = .five(try SOCKS5Handshake(target, proxy.login))
    }
  }

  /// The client's first bytes.
  package var opening: [UInt8] {
    switch version {
    case .four(let handshake): handshake.opening
    case .five(let handshake): handshake.opening
    }
  }

  /// Takes what has come. Throws if the proxy refuses, or sends something out of turn.
  package mutating func receive(_ bytes: some Sequence<UInt8>) throws(LoadError) -> Step {
    unread.append(contentsOf: bytes)
    let step: Step
    switch version {
    case .four(let handshake): step = try handshake.receive(&unread)
    case .five(var handshake):
      step = try handshake.receive(&unread)
      version = .five(handshake)
    }
    // In HTTP the client sends first through the tunnel; a stream's server may.
    guard step == .more || unread.isEmpty || (step == .open && origin.isStream) else { throw SOCKSHandshake.outOfTurn }
    return step
  }

  /// Bytes that the origin of a stream has sent already, once the tunnel is open.
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

/// Where a SOCKS proxy is to connect to.
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
