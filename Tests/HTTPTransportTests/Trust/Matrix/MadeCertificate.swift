import Crypto
import Foundation
import ProtocolRules

/// A certificate as a row of the matrix wants it, right or wrong, put together by hand: DER of P-256 keys. Without a change it is a server's.
struct MadeCertificate {
  typealias Key = P256.Signing.PrivateKey

  var name: String
  let key: Key
  /// The issuer's name; its own where it is nil.
  var issuer: String?
  var version: UInt8? = 2
  var serial: [UInt8]
  var notBefore: Date
  var notAfter: Date
  /// Each in DER, in this order.
  var extensions: [[UInt8]] = []
  /// The algorithm inside of what is signed.
  var innerAlgorithm = MadeCertificate.ecdsaWithSHA256
  var breaksSignature = false

  static let ecdsaWithSHA256 = sequence(oid(1, 2, 840, 10045, 4, 3, 2))
  static let ecdsaWithSHA384 = sequence(oid(1, 2, 840, 10045, 4, 3, 3))

  static func sequence(_ parts: [UInt8]...) -> [UInt8] { DERReader.element(0x30, parts.flatMap(\.self)) }
  static func set(_ part: [UInt8]) -> [UInt8] { DERReader.element(0x31, part) }
  static func octets(_ bytes: [UInt8]) -> [UInt8] { DERReader.element(0x04, bytes) }

  static func oid(_ numbers: Int...) -> [UInt8] {
    var bytes = [UInt8(numbers[0] * 40 + numbers[1])]
    for number in numbers.dropFirst(2) {
      var digits = [UInt8(number & 0x7F)]
      var rest = number >> 7
      while rest > 0 {
        digits.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        rest >>= 7
      }
      bytes += digits
    }
    return DERReader.element(0x06, bytes)
  }

  /// A distinguished name with an organization and a common name.
  static func distinguished(_ name: String, organization: String = "Matrix") -> [UInt8] {
    func part(_ kind: Int, _ text: String) -> [UInt8] {
      set(sequence(oid(2, 5, 4, kind), DERReader.element(0x0C, Array(text.utf8))))
    }
    return sequence(part(10, organization), part(3, name))
  }

  static func time(_ date: Date) -> [UInt8] {
    let digits: [UInt8] = date.formatted(.iso8601).utf8.filter { $0 >= 0x30 && $0 <= 0x39 }
    // RFC 5280, 4.1.2.5: UTCTime through the year 2049.
    guard digits.lexicographicallyPrecedes("2050".utf8) else { return DERReader.element(0x18, digits + [0x5A]) }
    return DERReader.element(0x17, digits.dropFirst(2) + [0x5A])
  }

  func signed(by signer: Key) throws -> [UInt8] {
    var fields: [UInt8] = []
    if let version { fields += DERReader.element(0xA0, [2, 1, version]) }
    fields += DERReader.element(0x02, serial) + innerAlgorithm + Self.distinguished(issuer ?? name)
    fields += Self.sequence(Self.time(notBefore), Self.time(notAfter)) + Self.distinguished(name) + key.publicKey.derRepresentation
    if !extensions.isEmpty { fields += DERReader.element(0xA3, Self.sequence(extensions.flatMap(\.self))) }
    let body = Self.sequence(fields)
    var signature = [UInt8](try signer.signature(for: Data(body)).derRepresentation)
    if breaksSignature { signature[signature.count - 1] ^= 1 }
    return Self.sequence(body, Self.ecdsaWithSHA256, DERReader.element(0x03, [0] + signature))
  }
}

/// Extensions of certificates (RFC 5280, 4.2), each in DER.
enum MadeExtension {
  static func make(_ identifier: [UInt8], critical: Bool = false, _ value: [UInt8]) -> [UInt8] {
    MadeCertificate.sequence(identifier, critical ? [1, 1, 0xFF] : [], MadeCertificate.octets(value))
  }

  /// Basic constraints.
  static func authority(_ isAuthority: Bool = true, path: UInt8? = nil) -> [UInt8] {
    let value = (isAuthority ? [1, 1, 0xFF] : []) + (path.map { [2, 1, $0] } ?? []) as [UInt8]
    return make(MadeCertificate.oid(2, 5, 29, 19), critical: true, MadeCertificate.sequence(value))
  }

  /// Key usage, by the names of RFC 5280, 4.2.1.3.
  enum Usage: Int { case digitalSignature, nonRepudiation, keyEncipherment, dataEncipherment, keyAgreement, keyCertSign, cRLSign }

  static func usage(_ usages: Usage...) -> [UInt8] {
    let bits = usages.reduce(UInt8(0)) { $0 | 0x80 >> UInt8($1.rawValue) }
    return make(MadeCertificate.oid(2, 5, 29, 15), critical: true, [3, 2, UInt8(min(7, bits.trailingZeroBitCount)), bits])
  }

  static let serverAuth = MadeCertificate.oid(1, 3, 6, 1, 5, 5, 7, 3, 1)
  static let clientAuth = MadeCertificate.oid(1, 3, 6, 1, 5, 5, 7, 3, 2)
  static let codeSigning = MadeCertificate.oid(1, 3, 6, 1, 5, 5, 7, 3, 3)
  static let anyUsage = MadeCertificate.oid(2, 5, 29, 37, 0)

  /// Extended key usage.
  static func purposes(_ purposes: [UInt8]..., critical: Bool = false) -> [UInt8] {
    make(MadeCertificate.oid(2, 5, 29, 37), critical: critical, MadeCertificate.sequence(purposes.flatMap(\.self)))
  }

  static func dns(_ name: String) -> [UInt8] { DERReader.element(0x82, Array(name.utf8)) }
  static func email(_ name: String) -> [UInt8] { DERReader.element(0x81, Array(name.utf8)) }
  static func uri(_ name: String) -> [UInt8] { DERReader.element(0x86, Array(name.utf8)) }
  static func address(_ bytes: [UInt8]) -> [UInt8] { DERReader.element(0x87, bytes) }
  static func directory(_ organization: String) -> [UInt8] {
    let kind = MadeCertificate.oid(2, 5, 4, 10)
    let name = MadeCertificate.sequence(
      MadeCertificate.set(MadeCertificate.sequence(kind, DERReader.element(0x0C, Array(organization.utf8)))))
    return DERReader.element(0xA4, name)
  }

  /// Subject alternative name.
  static func names(_ names: [UInt8]..., critical: Bool = false) -> [UInt8] {
    make(MadeCertificate.oid(2, 5, 29, 17), critical: critical, MadeCertificate.sequence(names.flatMap(\.self)))
  }

  /// Name constraints.
  static func constraints(permitted: [[UInt8]] = [], excluded: [[UInt8]] = []) -> [UInt8] {
    func trees(_ tag: UInt8, _ bases: [[UInt8]]) -> [UInt8] {
      bases.isEmpty ? [] : DERReader.element(tag, bases.flatMap { MadeCertificate.sequence($0) })
    }
    return make(MadeCertificate.oid(2, 5, 29, 30), critical: true, MadeCertificate.sequence(trees(0xA0, permitted), trees(0xA1, excluded)))
  }

  /// One that no one knows.
  static func unknown(critical: Bool) -> [UInt8] { make(MadeCertificate.oid(1, 3, 6, 1, 4, 1, 99999, 1), critical: critical, [5, 0]) }
}
