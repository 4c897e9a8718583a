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
    let values = try decoder.listedNumbers(2)
    self.init(dx: values[0], dy: values[1])
  }

  /// Writes the numbers as Apple's platforms do: a list of `dx` and `dy`.
  public func encode(to encoder: any Encoder) throws {
    try encoder.encode(listed: [dx, dy])
  }
}
