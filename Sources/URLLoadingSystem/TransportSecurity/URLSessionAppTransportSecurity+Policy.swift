import Foundation
import LoadingModel
import ProtocolRules

extension URLSessionAppTransportSecurity {
  /// The settings in the form that the engine's rules use.
  var policy: TransportSecurityPolicy {
    var policy = TransportSecurityPolicy()
    policy.allowsArbitraryLoads = allowsArbitraryLoads
    policy.allowsArbitraryLoadsForMedia = allowsArbitraryLoadsForMedia
    policy.allowsArbitraryLoadsInWebContent = allowsArbitraryLoadsInWebContent
    policy.allowsLocalNetworking = allowsLocalNetworking
    policy.unreadableSource = unreadableSource
    for (domain, entry) in exceptionDomains {
      var exception = TransportSecurityPolicy.ExceptionDomain()
      exception.includesSubdomains = entry.includesSubdomains
      exception.allowsInsecureHTTPLoads = entry.allowsInsecureHTTPLoads
      // Versions of DTLS are ignored: App Transport Security is about TLS.
      exception.minimumTLSVersion = entry.minimumTLSVersion.flatMap { (0x0301...0x0304).contains($0.rawValue) ? $0.rawValue : nil }
      exception.requiresForwardSecrecy = entry.requiresForwardSecrecy
      exception.requiresTransparency = entry.requiresCertificateTransparency
      policy.add(exception, for: Origin.asciiHost(domain))
    }
    for (domain, entry) in pinnedDomains {
      var pins = TransportSecurityPolicy.PinnedDomain()
      pins.includesSubdomains = entry.includesSubdomains
      pins.authorities = entry.caIdentities
      pins.leaves = entry.leafIdentities
      policy.add(pins, for: Origin.asciiHost(domain))
    }
    return policy
  }
}
