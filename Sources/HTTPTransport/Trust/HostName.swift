import LoadingModel
import NIOCore

/// A host as certificates name it: a DNS name, or an address.
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
      // RFC 9525, 6.3: the dot that ends an absolute name isn't in certificates.
      name = host.hasSuffix(".") ? String(host.dropLast()) : host
    }
  }
}
