import Foundation
import ProtocolRules

/// Looks up the addresses of one family, IPv4 or IPv6 (`-4`, `-6`), with the system's resolver.
enum FamilyResolver {
  /// - Parameter fixed: Addresses by "host:port" (`--resolve`), used instead of the system's.
  static func addresses(of host: String, _ port: Int, _ family: AddressFamily, fixed: [String: [String]]) async throws -> [String] {
    if let known = fixed["\(host):\(port)"] ?? fixed["*:\(port)"] {
      return known.filter { ($0.contains(":") ? AddressFamily.v6 : .v4) == family }
    }
    switch SpecialNames.answer(host) {
    case .loopback: return [family == .v4 ? "127.0.0.1" : "::1"]
    case .absent: return []
    case .ask: break
    }
    return await withCheckedContinuation { continuation in
      // The system's resolver blocks, so that it gets a thread.
      Thread.detachNewThread { continuation.resume(returning: look(host, family)) }
    }
  }

  private static func look(_ host: String, _ family: AddressFamily) -> [String] {
    var hints = addrinfo()
    // Both families are asked for: if only the one that /etc/hosts lacks were asked for, the system would go on to ask the DNS.
    hints.ai_family = AF_UNSPEC
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var found: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &found) == 0 else { return [] }
    defer { freeaddrinfo(found) }
    return sequence(first: found) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { entry in
      guard let entry = entry?.pointee, (entry.ai_family == AF_INET ? AddressFamily.v4 : .v6) == family else { return nil }
      var name = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      guard getnameinfo(entry.ai_addr, entry.ai_addrlen, &name, socklen_t(name.count), nil, 0, NI_NUMERICHOST) == 0 else { return nil }
      return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }
}
