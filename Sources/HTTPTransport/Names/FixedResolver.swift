import NIOCore
import ProtocolRules

/// Resolves names by the app's own table of addresses; other names are passed to another resolver.
package struct FixedResolver: HostResolver {
  private let table: AddressTable
  /// The resolver for names that aren't in the table; nil if no other names exist.
  private let others: (any HostResolver)?

  package init(_ table: AddressTable, others: (any HostResolver)? = SystemResolver()) {
    self.table = table
    self.others = others
  }

  package var looksAtPorts: Bool { true }
  package var knowsSpecialNames: Bool { true }

  package func isFixed(_ host: String, _ port: Int) -> Bool { table.addresses(of: host, port) != nil }

  package func ask(
    _ host: String, _ port: Int, _ family: AddressFamily,
    _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    // In a Swift task, as `answer` must not be called before this returns; none of the threads for blocking look-ups is needed.
    Task {
      if let fault = table.fault { return answer(.failure(.unanswered(host, "nameResolution is wrong: \(fault); correct it"))) }
      if let addresses = table.addresses(of: host, port) {
        let own = FixedResolver.addresses(addresses, of: family)
        return answer(own.isEmpty ? .failure(.absent(host)) : .success(own))
      }
      switch (SpecialNames.answer(host), others) {
      case (.absent, _), (_, nil): answer(.failure(.absent(host)))
      case (.loopback, _): answer(family.loopback.map { .success([$0]) } ?? .failure(.absent(host)))
      case (.ask, let others?): others.ask(host, port, family, answer, lifetime: lifetime)
      }
    }
  }

  /// The addresses of one family, in the app's order, with port 0.
  package static func addresses(_ all: [IPAddress], of family: AddressFamily) -> [SocketAddress] {
    all.compactMap { try? SocketAddress(ipAddress: $0.text, port: 0) }.filter { $0.family == family }
  }
}
