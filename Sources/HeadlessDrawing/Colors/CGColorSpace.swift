import Foundation

/// The meaning of a color's components. Two exist here, grey and red-green-blue, both with sRGB's transfer function.
public final class CGColorSpace: Hashable, Sendable {
  /// Names of color spaces, as `CGColorSpace(name:)` takes them.
  public static let sRGB = "kCGColorSpaceSRGB"
  /// Drawn as sRGB.
  public static let extendedSRGB = "kCGColorSpaceExtendedSRGB"
  /// Drawn as sRGB.
  public static let displayP3 = "kCGColorSpaceDisplayP3"
  /// Grey.
  public static let genericGrayGamma2_2 = "kCGColorSpaceGenericGrayGamma2_2"

  enum Model: Sendable {
    case gray
    case rgb
  }

  let model: Model

  init(_ model: Model) { self.model = model }

  /// The color space with this name, or nil if there is none. `displayP3` and `extendedSRGB` are drawn as sRGB.
  public convenience init?(name: String) {
    switch name {
    case Self.sRGB, Self.extendedSRGB, Self.displayP3: self.init(.rgb)
    case Self.genericGrayGamma2_2: self.init(.gray)
    default: return nil
    }
  }

  /// How many components a color has, without its alpha.
  public var numberOfComponents: Int { model == .gray ? 1 : 3 }

  public static func == (left: CGColorSpace, right: CGColorSpace) -> Bool { left.model == right.model }

  public func hash(into hasher: inout Hasher) { hasher.combine(model) }
}

/// The color space of red, green and blue.
public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { CGColorSpace(.rgb) }

/// The color space of grey.
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { CGColorSpace(.gray) }
