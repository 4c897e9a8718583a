import Foundation

/// A displacement in two dimensions.
public struct CGVector: Hashable, Codable, Sendable {
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
