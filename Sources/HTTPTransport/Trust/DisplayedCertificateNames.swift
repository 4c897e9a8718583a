import Foundation
import ProtocolRules

/// Names in certificates, for display. Pure functions.
package enum DisplayedCertificateNames {
  /// The issuer's common name, or its organization.
  package static func issuer(of certificate: Data) -> String? {
    guard let name = CertificateParts.part(.issuer, of: certificate) else { return nil }
    let attributes = attributes(of: [UInt8](name)[...])
    return attributes[[0x55, 0x04, 0x03]] ?? attributes[[0x55, 0x04, 0x0A]]
  }

  /// The DNS names and IP addresses in the certificate's subject alternative name extension (RFC 5280, 4.2.1.6).
  package static func alternatives(in certificate: Data) -> [String] {
    let bytes = [UInt8](certificate)
    // The extension's object identifier. It is followed by an optional boolean ("critical") and an octet string that contains a sequence of names.
    let identifier: [UInt8] = [0x06, 0x03, 0x55, 0x1D, 0x11]
    guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: identifier) }) else { return [] }
    var rest = DERReader(bytes[(start + identifier.count)...])
    _ = rest.next(0x01)
    guard let octets = rest.next()?.content else { return [] }
    var value = DERReader(octets)
    guard let list = value.next()?.content else { return [] }
    var names = DERReader(list)
    var result: [String] = []
    while let name = names.next() {
      switch name.tag {
      case 0x82: result.append(String(decoding: name.content, as: UTF8.self))
      case 0x87: if let address = address(Array(name.content)) { result.append(address) }
      default: break
      }
    }
    return result
  }

  private static func address(_ bytes: [UInt8]) -> String? {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    guard bytes.count == 4 || bytes.count == 16,
      inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil
    else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// The attributes of a distinguished name by their object identifiers; the last one of a kind counts.
  private static func attributes(of name: ArraySlice<UInt8>) -> [[UInt8]: String] {
    var whole = DERReader(name)
    guard let content = whole.next()?.content else { return [:] }
    var sets = DERReader(content)
    var result: [[UInt8]: String] = [:]
    while let set = sets.next()?.content {
      var pairs = DERReader(set)
      while let content = pairs.next()?.content {
        var pair = DERReader(content)
        guard let kind = pair.next(), let text = pair.next() else { break }
        result[Array(kind.content)] = String(decoding: text.content, as: UTF8.self)
      }
    }
    return result
  }
}
