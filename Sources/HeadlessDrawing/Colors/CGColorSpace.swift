import Foundation

/// The meaning of a color's components. Two exist here, grey and red-green-blue, both with sRGB's transfer function.
public final class CGColorSpace: Hashable, Sendable {
  /// The name of sRGB, for `CGColorSpace(name:)`.
  public static let sRGB = "kCGColorSpaceSRGB"
  /// The name of extended sRGB, for `CGColorSpace(name:)`. Its colors are drawn as sRGB, so components outside of 0…1 are limited.
  public static let extendedSRGB = "kCGColorSpaceExtendedSRGB"
  /// The name of Display P3, for `CGColorSpace(name:)`. Its components are drawn as if they were sRGB's.
  public static let displayP3 = "kCGColorSpaceDisplayP3"
  /// The name of a grey color space, for `CGColorSpace(name:)`.
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
