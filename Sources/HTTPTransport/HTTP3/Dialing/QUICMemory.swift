#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  /// What servers have given one URL session for later connections over QUIC: TLS tickets and address tokens (RFC 9000, 8.1.3).
  ///
  /// Confined to the session's event loop.
  package final class QUICMemory: @unchecked Sendable {
    // @unchecked: confined to the session's event loop.
    private static let limit = 256

    /// Tickets of TLS over TCP don't fit.
    package let tickets = TLSTicketStore()
    private var tokens = BoundedTable<Origin, [UInt8]>(limit: limit)
    private struct Transport {
      /// The limits that early data relies on (RFC 9000, 7.4.1).
      let limits: [UInt8]
      let family: AddressFamily?
    }

    private var transports = BoundedTable<Origin, Transport>(limit: limit)

    package init() {}

    func keep(token: [UInt8], for origin: Origin) {
      guard token.count <= 1024 else { return }
      tokens[origin] = token
    }

    /// 8.1.3: a token is used for one connection.
    func takeToken(for origin: Origin) -> [UInt8] { tokens.take(origin) ?? [] }

    /// Nothing is kept of a server that hasn't said its limits.
    func keep(transport limits: [UInt8], for origin: Origin, at address: SocketAddress?) {
      if !limits.isEmpty { transports[origin] = Transport(limits: limits, family: address.flatMap(AddressFamily.init)) }
    }

    /// What early data to the origin relies on; empty if there can be none. Requests that are sent early have chosen their address, so that the
    /// others aren't tried: it has to be of the family at which the server has answered.
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
