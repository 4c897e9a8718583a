import Foundation

/// A color: its components and the color space that they are in.
///
/// Components are from 0 to 1; what lies outside is limited to that, as there is no extended range here.
public final class CGColor: Hashable, Sendable {
  let rgba: ColorComponents
  private let model: CGColorSpace.Model

  /// Opaque black, a grey.
  public static let black = CGColor(gray: 0, alpha: 1)
  /// Opaque white, a grey.
  public static let white = CGColor(gray: 1, alpha: 1)
  /// A black that is fully transparent, a grey.
  public static let clear = CGColor(gray: 0, alpha: 0)

  init(rgba: ColorComponents, model: CGColorSpace.Model) {
    self.rgba = rgba
    self.model = model
  }

  /// A color of red, green and blue.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(rgba: ColorComponents(red: red, green: green, blue: blue, alpha: alpha), model: .rgb)
  }

  /// A color of red, green and blue, in sRGB.
  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// A grey with this opacity; 0 is black, 1 is white.
  public convenience init(gray: CGFloat, alpha: CGFloat) {
    self.init(rgba: ColorComponents(red: gray, green: gray, blue: gray, alpha: alpha), model: .gray)
  }

  /// A color of a color space.
  ///
  /// - Parameter components: The color's components, followed by the alpha: one number more than the color space has components.
  public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    switch space.model {
    case .gray: self.init(gray: components[0], alpha: components[1])
    case .rgb: self.init(red: components[0], green: components[1], blue: components[2], alpha: components[3])
    }
  }

  /// The color's components in its color space, and the alpha after them.
  public var components: [CGFloat]? {
    switch model {
    case .gray: [rgba.red, rgba.alpha]
    case .rgb: [rgba.red, rgba.green, rgba.blue, rgba.alpha]
    }
  }

  /// How many ``components`` there are, the alpha included.
  public var numberOfComponents: Int { model == .gray ? 2 : 4 }

  /// The opacity, from 0 (transparent) to 1 (opaque).
  public var alpha: CGFloat { rgba.alpha }

  /// The color space of ``components``.
  public var colorSpace: CGColorSpace? { CGColorSpace(model) }

  /// The same color with another opacity.
  public func copy(alpha: CGFloat) -> CGColor? {
    CGColor(rgba: ColorComponents(red: rgba.red, green: rgba.green, blue: rgba.blue, alpha: alpha), model: model)
  }

  var isGray: Bool { model == .gray }

  public static func == (left: CGColor, right: CGColor) -> Bool { left.rgba == right.rgba && left.model == right.model }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rgba)
    hasher.combine(model)
  }
}
