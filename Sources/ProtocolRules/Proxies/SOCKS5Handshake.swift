import LoadingModel

/// The handshake of SOCKS 5 (RFC 1928), with user name and password (RFC 1929) if the proxy demands them.
///
///         choosing a method -> (authenticating) -> connecting -> open
struct SOCKS5Handshake: Sendable {
  private enum State: Sendable {
    case choosing
    case proving
    case connecting
  }

  private enum Method {
    static let none: UInt8 = 0
    static let password: UInt8 = 2
    static let noneAcceptable: UInt8 = 0xFF
  }

  let opening: [UInt8]
  private let proof: [UInt8]?
  private let request: [UInt8]
  private var state = State.choosing

  init(_ target: SOCKSTarget, _ login: Proxy.Login?) throws(LoadError) {
    proof = try login.map(SOCKS5Handshake.proof)
    // RFC 1928, 3: the version, and the authentication methods that the client offers.
    opening = proof == nil ? [5, 1, Method.none] : [5, 2, Method.none, Method.password]
    request = try SOCKS5Handshake.request(target)
  }

  mutating func receive(_ unread: inout [UInt8]) throws(LoadError) -> SOCKSHandshake.Step {
    switch state {
    case .choosing: return try receiveMethod(&unread)
    case .proving: return try receiveVerdict(&unread)
    case .connecting: return try receiveReply(&unread)
    }
  }

  /// Reads the proxy's choice of an authentication method (RFC 1928, 3).
  private mutating func receiveMethod(_ unread: inout [UInt8]) throws(LoadError) -> SOCKSHandshake.Step {
    guard unread.isEmpty || unread[0] == 5 else { throw SOCKSHandshake.outOfTurn }
    guard unread.count >= 2 else { return .more }
    let method = unread[1]
    unread.removeFirst(2)
    switch (method, proof) {
    case (Method.none, _):
      state = .connecting
      return .send(request)
    case (Method.password, let proof?):
      state = .proving
      return .send(proof)
    case (Method.noneAcceptable, nil):
      throw SOCKSHandshake.refusal(.socks5NoMethod, "the SOCKS proxy wants a user name and password; give them with the proxy's settings")
    default:
      throw SOCKSHandshake.refusal(.socks5NoMethod, "the SOCKS proxy accepts neither callers without a name nor a user name and password")
    }
  }

  /// Reads whether the proxy accepts user name and password (RFC 1929, 2).
  private mutating func receiveVerdict(_ unread: inout [UInt8]) throws(LoadError) -> SOCKSHandshake.Step {
    guard unread.count >= 2 else { return .more }
    let (version, status) = (unread[0], unread[1])
    unread.removeFirst(2)
    // Some proxies answer with SOCKS's version instead of the sub-negotiation's.
    guard version == 1 || version == 5 else { throw SOCKSHandshake.outOfTurn }
    guard status == 0 else {
      var error = LoadError(
        .userAuthenticationRequired, .connect, "the SOCKS proxy doesn't accept the user name or password; check the proxy's login")
      error.proxy = ProxyFault(.socks5BadCredentials)
      throw error
    }
    state = .connecting
    return .send(request)
  }

  /// Reads the reply to the request (RFC 1928, 6). The address after the status isn't used, but has to be read.
  private func receiveReply(_ unread: inout [UInt8]) throws(LoadError) -> SOCKSHandshake.Step {
    guard unread.isEmpty || unread[0] == 5 else { throw SOCKSHandshake.outOfTurn }
    // A proxy that refuses may close the connection right after the status.
    if unread.count >= 2, unread[1] != 0 { throw SOCKS5Handshake.refusal(unread[1]) }
    guard unread.count >= 5 else { return .more }
    let length: Int
    switch unread[3] {
    case 1: length = 10
    case 3: length = 7 + Int(unread[4])
    case 4: length = 22
    default: throw SOCKSHandshake.refusal(.socks5BadAddress, "the SOCKS proxy's answer names an address of an unknown kind")
    }
    guard unread.count >= length else { return .more }
    unread.removeFirst(length)
    return .open
  }

  private static func refusal(_ status: UInt8) -> LoadError {
    let reason =
      switch status {
      case 1: "it failed"
      case 2: "its rules don't allow this connection"
      case 3: "it has no route to the server's network"
      case 4: "the server's host can't be reached, or its name isn't known there"
      case 5: "the server refused the connection"
      case 6: "the way to the server is too long"
      case 7: "it doesn't connect"
      case 8: "it doesn't know this kind of address"
      default: "status \(status)"
      }
    return SOCKSHandshake.refusal(.socks5BadState, "the SOCKS proxy couldn't connect to the server: \(reason)")
  }

  private static func proof(_ login: Proxy.Login) throws(LoadError) -> [UInt8] {
    let (user, password) = (Array(login.user.utf8), Array(login.password.utf8))
    guard 1...255 ~= user.count, password.count <= 255 else {
      throw SOCKSHandshake.refusal(.socks5BadCredentials, "the proxy's user name or password is longer than SOCKS can carry (255 bytes)")
    }
    return [1, UInt8(user.count)] + user + [UInt8(password.count)] + password
  }

  /// The request to connect to the target (RFC 1928, 4).
  private static func request(_ target: SOCKSTarget) throws(LoadError) -> [UInt8] {
    switch target.host {
    case .address(let address): return [5, 1, 0, address.bytes.count == 4 ? 1 : 4] + address.bytes + target.portBytes
    case .name(let name):
      guard name.count <= 255 else { throw SOCKSHandshake.unusableName }
      return [5, 1, 0, 3, UInt8(name.count)] + name + target.portBytes
    }
  }
}
