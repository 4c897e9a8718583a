import LoadingModel
import NIOCore

/// A host in the form that certificates are compared with: a DNS name or an IP address; the other property is nil.
struct HostName {
  let name: String?
  let address: String?

  init(_ host: String) {
    let host = Origin.withoutZone(host)
    if (try? SocketAddress(ipAddress: host, port: 0)) != nil {
      address = host
      name = nil
    } else {
      address = nil
      // Certificates have no trailing dot, which an absolute DNS name may have (RFC 9525, 6.3).
      name = host.hasSuffix(".") ? String(host.dropLast()) : host
    }
  }
}
