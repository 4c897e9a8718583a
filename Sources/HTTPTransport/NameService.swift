import CLoadingShims
import HTTPPolicy
import LoadingModel
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What a resolver answered instead of addresses.
struct ResolutionError: Error {
  let host: String
  /// Of `getaddrinfo`.
  let code: Int32
  static func absent(_ host: String) -> ResolutionError { ResolutionError(host: host, code: EAI_NONAME) }
  var text: String { String(cString: gai_strerror(code)) }

  /// Whether a later look-up may do better: no name server has answered, or it couldn't.
  var isTemporary: Bool { code == EAI_AGAIN || code == EAI_FAIL }
}

/// Knows the addresses of names.
protocol NameService: Sendable {
  /// Asks for the addresses of one family, without ports. `answer` is called once, on any thread, not before this returns; then perhaps
  /// `lifetime`, with the seconds for which the answer may be kept.
  func ask(
    _ host: String, _ family: AddressFamily, _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void,
    lifetime: @escaping @Sendable (Double) -> Void)
}

/// The system's resolver, on threads of its own: `getaddrinfo` can only be waited for.
struct SystemNames: NameService {
  func ask(
    _ host: String, _ family: AddressFamily, _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void,
    lifetime: @escaping @Sendable (Double) -> Void
  ) {
    BlockingThreads.lookUps.submit { _ in
      let result = SystemNames.lookUp(host, family)
      answer(result)
      // Nobody waits for it: on a thread that no look-up needs.
      guard case .success(let addresses) = result, !addresses.isEmpty else { return }
      BlockingThreads.lifetimes.submit { state in
        guard case .active = state, let seconds = SystemNames.lifetime(of: host, family, addresses) else { return }
        lifetime(seconds)
      }
    }
  }

  /// What the DNS says, if it says the same as the system; nil if it doesn't.
  private static func lifetime(of host: String, _ family: AddressFamily, _ addresses: [SocketAddress]) -> Double? {
    var bytes: [UInt8] = []
    for address in addresses {
      switch address {
      case .v4(let address): withUnsafeBytes(of: address.address.sin_addr) { bytes += $0 }
      case .v6(let address): withUnsafeBytes(of: address.address.sin6_addr) { bytes += $0 }
      case .unixDomainSocket: return nil
      }
    }
    let seconds = cls_name_lifetime(host, family == .v6 ? AF_INET6 : AF_INET, bytes, addresses.count)
    return seconds < 0 ? nil : Double(seconds)
  }

  private static func lookUp(_ host: String, _ family: AddressFamily) -> Result<[SocketAddress], ResolutionError> {
    let result = lookUp(host, family, flags: AI_ADDRCONFIG)
    // AI_ADDRCONFIG ignores loopback addresses: a machine with no other network must still find its own names.
    guard case .failure(let error) = result, error.code == EAI_NONAME, host == "localhost" || !hasNetwork else { return result }
    return lookUp(host, family, flags: 0)
  }

  private static func lookUp(_ host: String, _ family: AddressFamily, flags: Int32) -> Result<[SocketAddress], ResolutionError> {
    var hints = addrinfo()
    hints.ai_family = family == .v6 ? AF_INET6 : AF_INET
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
