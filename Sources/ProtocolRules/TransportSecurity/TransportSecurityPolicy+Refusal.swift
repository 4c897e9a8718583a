import Foundation

extension TransportSecurityPolicy {
  /// The reason why a load from `host` without TLS is refused, and the key that would allow it, as text for an error; nil if it is allowed.
  package func cleartextRefusal(for host: String) -> String? {
    let kind = HostKind(host)
    switch protection(of: kind) {
    case .lifted, .outside: return nil
    case .exception(let exception, _) where exception.allowsInsecureHTTPLoads: return nil
    case .exception(_, let key):
      return refusal(
        host, "set NSExceptionAllowsInsecureHTTPLoads for “\(key)” in NSExceptionDomains, where the domain stands without it")
    case .full: return refusal(host, remedy(for: kind))
    }
  }

  private func refusal(_ host: String, _ remedy: String) -> String {
    "App Transport Security allows no connection without TLS to “\(host)”; use https, or \(remedy)\(sourceNote)"
  }

  private func remedy(for kind: HostKind) -> String {
    switch kind {
    case .address:
      return "allow it with NSAllowsLocalNetworking, or with NSExceptionAllowsInsecureHTTPLoads for the address in NSExceptionDomains"
    case .name(let name):
      if let domain = exceptionWithoutSubdomains(above: name) {
        return "set NSIncludesSubdomains for “\(domain)” in NSExceptionDomains, whose entry doesn't cover its subdomains"
      }
      let own = "allow it with NSExceptionAllowsInsecureHTTPLoads for “\(name)” in NSExceptionDomains"
      guard allowsArbitraryLoads, let overruling = overrulingKey else { return "\(own), or for every host with NSAllowsArbitraryLoads" }
      return "\(own) (NSAllowsArbitraryLoads has no effect where \(overruling) is present)"
    }
  }

  /// What App Transport Security demands of a handshake with `host`, as text for an error message; nil if it demands nothing.
  package func handshakeNote(for host: String) -> String? {
    let exception: ExceptionDomain
    switch protection(of: HostKind(host)) {
    case .lifted, .outside: return nil
    case .full: exception = ExceptionDomain()
    case .exception(let listed, _): exception = listed
    }
    let version = exception.minimumTLSVersion ?? TransportSecurityPolicy.standardVersion
    let secrecy = exception.requiresForwardSecrecy ? " with forward secrecy" : ""
    var keys = version > 0x0301 ? ["NSExceptionMinimumTLSVersion"] : []
    if exception.requiresForwardSecrecy { keys.append("NSExceptionRequiresForwardSecrecy") }
    let asked = "App Transport Security asks “\(host)” for \(TransportSecurityPolicy.name(ofVersion: version)) or newer\(secrecy)"
    guard !keys.isEmpty else { return asked }
    return "\(asked); \(keys.joined(separator: " and ")) in NSExceptionDomains can lower that\(sourceNote)"
  }

  private var sourceNote: String {
    unreadableSource.map { ". Full protection is in force because \($0)" } ?? " of NSAppTransportSecurity"
  }

  private static func name(ofVersion number: UInt16) -> String {
    switch number {
    case 0x0301: "TLS 1.0"
    case 0x0302: "TLS 1.1"
    case 0x0303: "TLS 1.2"
    default: "TLS 1.3"
    }
  }
}
