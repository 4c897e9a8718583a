import CLoadingBoringSSL
import LoadingModel

/// The tickets one URL session has been given, by origin (RFC 8446, 4.6.1). Confined to the session's event loop.
package final class TLSTicketStore {
  /// The most tickets that are kept for an origin, and the most origins.
  private static let perOrigin = 4
  private static let origins = 256

  private var tickets = BoundedTable<Origin, [TLSTicket]>(limit: origins)

  /// The number of times that all tickets were forgotten: connections that were begun before add none.
  private(set) var round = 0

  package init() {}

  func add(_ ticket: TLSTicket, for origin: Origin) {
    tickets[origin] = (tickets[origin] ?? []).suffix(TLSTicketStore.perOrigin - 1) + [ticket]
  }

  /// The newest ticket whose server was accepted in one of these ways. It is taken out: a TLS 1.3 ticket should be used once
  /// (RFC 8446, C.4).
  func take(for origin: Origin, _ trusts: PeerAcceptance) -> TLSTicket? {
    guard let index = tickets[origin]?.lastIndex(where: { trusts.contains($0.acceptance) }) else { return nil }
    return tickets[origin]?.remove(at: index)
  }

  /// Whether `take` would return a ticket for early data.
  func hasEarlyTicket(for origin: Origin, _ trusts: PeerAcceptance) -> Bool {
    tickets[origin]?.last { trusts.contains($0.acceptance) }?.takesEarlyData ?? false
  }

  func removeAll(for origin: Origin) { tickets[origin] = nil }

  package func removeAll() {
    tickets.removeAll()
    round += 1
  }
}

/// One TLS session of BoringSSL (SSL_SESSION) with its ticket, freed with this object.
final class TLSTicket {
  let session: UnsafeMutableRawPointer
  let acceptance: PeerAcceptance

  init(owning session: UnsafeMutableRawPointer, _ acceptance: PeerAcceptance) {
    self.session = session
    self.acceptance = acceptance
  }

  var takesEarlyData: Bool { uls_tls_takes_early_data(session) != 0 }

  deinit { uls_tls_free_session(session) }
}
