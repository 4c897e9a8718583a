// The rows of the matrix, in the order of the page "Which certificates are trusted". The files beside this one have them by subject.

extension TrustCase {
  static let groups: [(title: String, cases: [TrustCase])] = [
    ("Names", names),
    ("Time", time),
    ("Chains", chains),
    ("Path lengths", pathLengths),
    ("Usages", usages),
    ("Name constraints", nameConstraints),
    ("Extensions", extensions),
    ("Keys and digests", keysAndDigests),
  ]

  static let all = groups.flatMap(\.cases)

  static func dns(_ name: String) -> [UInt8] { MadeExtension.dns(name) }
  static func email(_ name: String) -> [UInt8] { MadeExtension.email(name) }
  static func uri(_ name: String) -> [UInt8] { MadeExtension.uri(name) }
  static func address(_ bytes: [UInt8]) -> [UInt8] { MadeExtension.address(bytes) }
  static func directory(_ name: String) -> [UInt8] { MadeExtension.directory(name) }
  static func zeros(_ count: Int) -> [UInt8] { [UInt8](repeating: 0, count: count) }
}
