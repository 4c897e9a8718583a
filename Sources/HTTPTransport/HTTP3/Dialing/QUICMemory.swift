#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// A session's cache of what servers have given it for later QUIC connections: TLS tickets, address validation tokens (RFC 9000, 8.1.3) and
  /// transport parameters.
  ///
  /// Confined to the session's event loop.
  package final class QUICMemory: @unchecked Sendable {
    // @unchecked: confined to the session's event loop.
    private static let limit = 256

    /// TLS tickets from QUIC connections; those from TCP can't be used for QUIC.
    package let tickets = TLSTicketStore()
    private var tokens = BoundedTable<Origin, [UInt8]>(limit: limit)
    private struct Transport {
      /// The server's transport parameters that early data relies on (RFC 9000, 7.4.1), encoded.
      let limits: [UInt8]
      let family: AddressFamily?
    }

    private var transports = BoundedTable<Origin, Transport>(limit: limit)

    package init() {}

    func keep(token: [UInt8], for origin: Origin) {
      guard token.count <= 1024 else { return }
      tokens[origin] = token
    }

    /// Removes and returns the token for `origin`, as each is used only once (8.1.3); empty if there is none.
    func takeToken(for origin: Origin) -> [UInt8] { tokens.take(origin) ?? [] }

    /// Keeps a server's transport parameters for early data, with the address family at which it was reached; does nothing if `limits` is empty.
    func keep(transport limits: [UInt8], for origin: Origin, at address: SocketAddress?) {
      if !limits.isEmpty { transports[origin] = Transport(limits: limits, family: address.flatMap(AddressFamily.init)) }
    }

    /// The transport parameters for early data to `origin`; empty if early data can't be sent. Early data goes to the first address without trying
    /// others, so that must be of the family at which the server was reached before.
    func transport(for origin: Origin, at address: SocketAddress, _ trusts: PeerAcceptance) -> [UInt8] {
      guard tickets.hasEarlyTicket(for: origin, trusts), let known = transports.use(origin),
        known.family == nil || known.family == AddressFamily(address)
      else { return [] }
      return known.limits
    }

    package func removeAll() {
      tickets.removeAll()
      transports.removeAll()
      tokens.removeAll()
    }
  }
#endif
