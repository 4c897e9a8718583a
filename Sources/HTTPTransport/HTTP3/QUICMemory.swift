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
    private var tokens: [Origin: [UInt8]] = [:]
    /// The limits that early data relies on (RFC 9000, 7.4.1).
    private var transports: [Origin: [UInt8]] = [:]

    package init() {}

    func keep(token: [UInt8], for origin: Origin) {
      guard token.count <= 1024 else { return }
      if tokens.count >= QUICMemory.limit, tokens[origin] == nil { tokens.removeAll() }
      tokens[origin] = token
    }

    /// 8.1.3: a token is used for one connection.
    func takeToken(for origin: Origin) -> [UInt8] { tokens.removeValue(forKey: origin) ?? [] }

    func keep(transport: [UInt8], for origin: Origin) {
      if transports.count >= QUICMemory.limit, transports[origin] == nil { transports.removeAll() }
      transports[origin] = transport
    }

    /// What early data to the origin relies on; empty if there can be none.
    func transport(for origin: Origin, _ trusts: PeerAcceptance) -> [UInt8] {
      tickets.hasEarlyTicket(for: origin, trusts) ? transports[origin] ?? [] : []
    }

    package func removeAll() {
      tickets.removeAll()
      transports.removeAll()
      tokens.removeAll()
    }
  }
#endif
