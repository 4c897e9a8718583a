import CLoadingNames
import LoadingModel
import NIOCore
import ProtocolRules

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// Looks up the addresses of names.
package protocol HostResolver: Sendable {
  /// Looks up the addresses of one family, without ports. `answer` is called once, on any thread, not before this returns. `lifetime` may be called
  /// afterwards with the seconds for which the answer may be cached.
  /// - Parameter port: The port to connect to; 0 if `looksAtPorts` is false.
  func ask(
    _ host: String, _ port: Int, _ family: AddressFamily,
    _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void, lifetime: @escaping @Sendable (Double) -> Void)
  /// Whether a name may have other addresses for another port.
  var looksAtPorts: Bool { get }
  /// Whether both families should be asked for in the same turn, because one answer of the resolver contains both.
  var asksForFamiliesTogether: Bool { get }
  /// Whether the resolver is also asked for names that have their answers by rule, such as localhost (RFC 6761).
  var knowsSpecialNames: Bool { get }
  /// Whether the app has given the addresses of this host and port itself.
  func isFixed(_ host: String, _ port: Int) -> Bool
}

extension HostResolver {
  package var looksAtPorts: Bool { false }
  package var asksForFamiliesTogether: Bool { false }
  package var knowsSpecialNames: Bool { false }
  package func isFixed(_ host: String, _ port: Int) -> Bool { false }
}

/// Resolves names by getaddrinfo(3), which blocks: on threads of its own.
package struct SystemResolver: HostResolver {
  package init() {}

  package func ask(
    _ host: String, _ port: Int, _ family: AddressFamily,
    _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void, lifetime: @escaping @Sendable (Double) -> Void
  ) {
    BlockingThreads.lookUps.submit {
      let services = SystemNames.services
      if let known = SystemNames.addresses(of: host, by: services) {
        // Without a lifetime: addresses from /etc/hosts are cached for the default time, after which the file is read again.
        return answer(SystemResolver.only(family, known, host))
      }
      let result = SystemResolver.lookUp(host, family, by: services)
      answer(result)
      guard case .success(let addresses) = result, NameLifetimes.mayBeAsked(host, addresses) else { return }
      NameLifetimes.ask(host, family, addresses, lifetime)
    }
  }
}

/// Asks the DNS how long looked-up addresses may be cached (TTL). The loads that wait for the addresses have been given them before.
private enum NameLifetimes {
  /// The most questions that are queued or running: beyond it, as with slow name servers, addresses are cached for the default time.
  private static let limit = 64
  private static let waiting = Mutex(0)

  /// Whether to ask the DNS about the name: not for names that it never has (RFC 6761, RFC 6762), nor if all addresses are loopback addresses.
  static func mayBeAsked(_ host: String, _ addresses: [SocketAddress]) -> Bool {
    let labels = host.lowercased().split(separator: ".")
    guard labels.count > 1, let last = labels.last, last != "local", last != "localhost" else { return false }
    return addresses.contains { !$0.isLoopback }
  }

  static func ask(_ host: String, _ family: AddressFamily, _ addresses: [SocketAddress], _ tell: @escaping @Sendable (Double) -> Void) {
    let hasRoom = waiting.withLock { waiting in
      guard waiting < limit else { return false }
      waiting += 1
      return true
    }
    guard hasRoom else { return }
    // On a separate thread, so that look-ups don't have to wait for it.
    BlockingThreads.lifetimes.submit {
      defer { waiting.withLock { $0 -= 1 } }
      guard let seconds = lifetime(of: host, family, addresses) else { return }
      tell(seconds)
    }
  }

  /// The DNS's lifetime in seconds, if it has the same addresses as the system's resolver has given; else nil.
  private static func lifetime(of host: String, _ family: AddressFamily, _ addresses: [SocketAddress]) -> Double? {
    var bytes: [UInt8] = []
    for address in addresses {
      switch address {
      case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { bytes += $0 }
      case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { bytes += $0 }
      case .unixDomainSocket: return nil
      }
    }
    let seconds = uls_name_lifetime(host, family == .v6 ? AF_INET6 : AF_INET, bytes, addresses.count)
    return seconds < 0 ? nil : Double(seconds)
  }

}

extension SystemResolver {
  fileprivate static func lookUp(
    _ host: String, _ family: AddressFamily, by services: NameServices
  ) -> Result<[SocketAddress], ResolutionError> {
    let isSplit = services.maySplit(host)
    let asked = isSplit ? (family == .v6 ? AF_INET6 : AF_INET) : AF_UNSPEC
    let result = lookUp(host, asked, flags: AI_ADDRCONFIG)
    // AI_ADDRCONFIG ignores loopback addresses: a machine with no other network must still find its own names.
    guard case .failure(let error) = result, error.code == EAI_NONAME, !hasNetwork else { return only(family, result, host) }
    return only(family, lookUp(host, asked, flags: 0), host)
  }

  /// The addresses of one family from an answer for both; fails with EAI_NONAME if there are none.
  private static func only(
    _ family: AddressFamily, _ result: Result<[SocketAddress], ResolutionError>, _ host: String
  ) -> Result<[SocketAddress], ResolutionError> {
    result.flatMap { only(family, $0, host) }
  }

  fileprivate static func only(
    _ family: AddressFamily, _ addresses: [SocketAddress], _ host: String
  ) -> Result<[SocketAddress], ResolutionError> {
    let own = addresses.filter { $0.family == family }
    return own.isEmpty ? .failure(.absent(host)) : .success(own)
  }

  private static func lookUp(_ host: String, _ family: Int32, flags: Int32) -> Result<[SocketAddress], ResolutionError> {
    var hints = addrinfo()
    hints.ai_family = family
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_protocol = Int32(IPPROTO_TCP)
    hints.ai_flags = flags
    var list: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(host, nil, &hints, &list)
    guard code == 0 else { return .failure(ResolutionError(host: host, code: code)) }
    defer { freeaddrinfo(list) }
    var addresses: [SocketAddress] = []
    var next = list
    while let info = next?.pointee {
      if let address = info.ai_addr.flatMap({ SocketAddress($0, host: host) }) { addresses.append(address) }
      next = info.ai_next
    }
    return .success(addresses)
  }

  /// Whether any interface but loopback has an address.
  private static var hasNetwork: Bool {
    InterfaceAddress.all()?.contains { !$0.isLoopback && $0.address != nil } ?? true
  }
}

extension SocketAddress {
  var family: AddressFamily? {
    switch self {
    case .v4: .v4
    case .v6: .v6
    case .unixDomainSocket: nil
    }
  }

  fileprivate var isLoopback: Bool {
    switch self {
    case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { $0.first == 127 }
    case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    case .unixDomainSocket: true
    }
  }
}
