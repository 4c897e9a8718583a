import Foundation

// Apple's platforms encode a geometric value as the list of its numbers.

extension Decoder {
  /// The first `count` numbers of a list.
  ///
  /// - Throws: `DecodingError` if there is no list, or if it has fewer numbers.
  func listedNumbers(_ count: Int) throws -> [CGFloat] {
    var values = try unkeyedContainer()
    return try (0..<count).map { _ in try values.decode(CGFloat.self) }
  }
}

extension Encoder {
  func encode(listed numbers: [CGFloat]) throws {
    var values = unkeyedContainer()
    for number in numbers { try values.encode(number) }
  }
}
