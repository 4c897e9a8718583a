import Foundation

/// A displacement in two dimensions.
public struct CGVector: Hashable, Sendable {
  /// The displacement along the x axis.
  public var dx: CGFloat
  /// The displacement along the y axis.
  public var dy: CGFloat

  /// The zero displacement.
  public static let zero = CGVector()

  /// The zero displacement.
  public init() { self.init(dx: 0, dy: 0) }

  /// The displacement by `dx` and `dy`.
  public init(dx: CGFloat, dy: CGFloat) {
    self.dx = dx
    self.dy = dy
  }
}

extension CGVector: Codable {
  /// Reads the numbers as Apple's platforms write them: a list of `dx` and `dy`.
  public init(from decoder: any Decoder) throws {
    var values = try decoder.unkeyedContainer()
    let dx = try values.decode(CGFloat.self)
    let dy = try values.decode(CGFloat.self)
    self.init(dx: dx, dy: dy)
  }

  /// Writes the numbers as Apple's platforms do: a list of `dx` and `dy`.
  public func encode(to encoder: any Encoder) throws {
    var values = encoder.unkeyedContainer()
    for number in [dx, dy] { try values.encode(number) }
  }
}
