#if HTTP3
  import LoadingModel

  /// What servers have given one URL session for later connections over QUIC: TLS tickets and address tokens (RFC 9000, 8.1.3).
  ///
  /// Confined to the session's event loop.
  package final class QUICMemory: @unchecked Sendable {
    // @unchecked: confined to the session's event loop.
    private static let limit = 256

    /// Tickets of TLS over TCP don't fit.
    package let tickets = TLSTicketStore()
    private var tokens = BoundedTable<Origin, [UInt8]>(limit: limit)
    /// The limits that early data relies on (RFC 9000, 7.4.1).
    private var transports = BoundedTable<Origin, [UInt8]>(limit: limit)

    package init() {}

    func keep(token: [UInt8], for origin: Origin) {
      guard token.count <= 1024 else { return }
      tokens[origin] = token
    }

    /// 8.1.3: a token is used for one connection.
    func takeToken(for origin: Origin) -> [UInt8] { tokens.take(origin) ?? [] }

    /// Nothing is kept of a server that hasn't said its limits.
    func keep(transport: [UInt8], for origin: Origin) {
      if !transport.isEmpty { transports[origin] = transport }
    }

    /// What early data to the origin relies on; empty if there can be none.
    func transport(for origin: Origin, _ trusts: PeerAcceptance) -> [UInt8] {
      tickets.hasEarlyTicket(for: origin, trusts) ? transports.use(origin) ?? [] : []
    }

    package func removeAll() {
      tickets.removeAll()
      transports.removeAll()
      tokens.removeAll()
    }
  }
#endif
