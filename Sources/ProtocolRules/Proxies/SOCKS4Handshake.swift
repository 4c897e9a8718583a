import LoadingModel

/// The handshake of SOCKS 4, and of 4a for names: one request, one reply of eight bytes.
struct SOCKS4Handshake: Sendable {
  let opening: [UInt8]

  init(_ target: SOCKSTarget, user: String) throws(LoadError) {
    var bytes: [UInt8] = [4, 1] + target.portBytes
    var name: [UInt8] = []
    switch target.host {
    case .address(let address):
      guard address.bytes.count == 4 else {
        throw SOCKSHandshake.refusal(.socks4Rejected, "SOCKS 4 knows no IPv6 addresses; use a SOCKS 5 proxy for this host")
      }
      bytes += address.bytes
    case .name(let text):
      // SOCKS 4a: an address 0.0.0.x says that the name follows after the user.
      bytes += [0, 0, 0, 1]
      name = text + [0]
      guard text.count <= 255, !text.contains(0) else { throw SOCKSHandshake.unusableName }
    }
    guard user.utf8.count <= 255, !user.utf8.contains(0) else {
      throw SOCKSHandshake.refusal(.socks4OtherUser, "the proxy's user name is longer than SOCKS 4 can carry (255 bytes)")
    }
    opening = bytes + Array(user.utf8) + [0] + name
  }

  func receive(_ unread: inout [UInt8]) throws(LoadError) -> SOCKSHandshake.Step {
    guard unread.count < 8 || unread[0] == 0, unread.isEmpty || unread[0] == 0 else { throw SOCKSHandshake.outOfTurn }
    guard unread.count >= 8 else { return .more }
    let status = unread[1]
    unread.removeFirst(8)
    switch status {
    case 90: return .open
    case 91: throw SOCKSHandshake.refusal(.socks4Rejected, "the SOCKS proxy couldn't connect to the server, or doesn't allow it")
    case 92:
      throw SOCKSHandshake.refusal(
        .socks4NoIdentd, "the SOCKS proxy wants to ask this machine's identd who is calling, and can't reach it")
    case 93: throw SOCKSHandshake.refusal(.socks4OtherUser, "the SOCKS proxy doesn't accept the user name; check the proxy's login")
    default: throw SOCKSHandshake.refusal(.socks4UnknownStatus, "the SOCKS proxy refused with the unknown status \(status)")
    }
  }
}

extension SOCKSHandshake {
  static var unusableName: LoadError {
    refusal(.socks5BadAddress, "the host name is longer than SOCKS can carry (255 bytes)")
  }
}
