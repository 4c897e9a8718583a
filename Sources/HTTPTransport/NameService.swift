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
  /// Asks for the addresses of one family, without ports. `answer` is called once, on any thread, not before this returns.
  func ask(
    _ host: String, _ family: AddressFamily, _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void)
}

/// The system's resolver, on threads of its own: `getaddrinfo` can only be waited for.
struct SystemNames: NameService {
  func ask(
    _ host: String, _ family: AddressFamily, _ answer: @escaping @Sendable (Result<[SocketAddress], ResolutionError>) -> Void
  ) {
    // Names that nobody need be asked for don't wait behind those that somebody is.
    let threads = SpecialNames.answer(host) == .ask ? BlockingThreads.lookUps : BlockingThreads.networks
    threads.submit { _ in answer(SystemNames.lookUp(host, family)) }
  }

  private static func lookUp(_ host: String, _ family: AddressFamily) -> Result<[SocketAddress], ResolutionError> {
    switch SpecialNames.answer(host) {
    case .nobody: return .failure(.absent(host))
    case .loopback: return .success([try? SocketAddress(ipAddress: family == .v6 ? "::1" : "127.0.0.1", port: 0)].compactMap(\.self))
    case .ask: break
    }
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
