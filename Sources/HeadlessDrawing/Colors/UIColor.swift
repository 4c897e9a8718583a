import Foundation

/// A color with an opacity. Immutable, and usable on any thread.
///
/// Two colors are equal if their components and color spaces are, as UIKit's: `.white` is a grey and differs from
/// `UIColor(red: 1, green: 1, blue: 1, alpha: 1)`.
open class UIColor: NSObject, @unchecked Sendable {
  // `@unchecked` because the class is open. Its only stored property is a constant of a `Sendable` type.

  /// This color as a Core Graphics color.
  public let cgColor: CGColor

  /// Wraps a Core Graphics color.
  public init(cgColor: CGColor) { self.cgColor = cgColor }

  /// A color of red, green and blue, each from 0 to 1 and limited to that.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(cgColor: CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// A color of red, green and blue of the color space Display P3, drawn as if they were sRGB's.
  public convenience init(displayP3Red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: displayP3Red, green: green, blue: blue, alpha: alpha)
  }

  /// A grey, from 0 (black) to 1 (white).
  public convenience init(white: CGFloat, alpha: CGFloat) { self.init(cgColor: CGColor(gray: white, alpha: alpha)) }

  /// A color of hue, saturation and brightness, each from 0 to 1 and limited to that.
  public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    let color = ColorComponents(hue: hue, saturation: saturation, brightness: brightness, alpha: alpha)
    self.init(cgColor: CGColor(rgba: color, model: .rgb))
  }

  /// The same color with another opacity.
  open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    let color = cgColor.rgba
    return UIColor(
      cgColor: CGColor(
        rgba: ColorComponents(red: color.red, green: color.green, blue: color.blue, alpha: alpha), model: cgColor.isGray ? .gray : .rgb))
  }

  /// Writes the color's red, green, blue and alpha, from 0 to 1, to the pointers that aren't nil.
  ///
  /// - Returns: Always true, as every color here can be converted to RGB.
  @discardableResult
  open func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let color = cgColor.rgba
    red?.pointee = color.red
    green?.pointee = color.green
    blue?.pointee = color.blue
    alpha?.pointee = color.alpha
    return true
  }

  /// Writes the color as a grey and alpha, from 0 to 1, to the pointers that aren't nil. A color that isn't grey is converted by its luminance.
  ///
  /// - Returns: Always true, as every color here can be converted to grey.
  @discardableResult
  open func getWhite(_ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?) -> Bool {
    white?.pointee = cgColor.rgba.white
    alpha?.pointee = cgColor.rgba.alpha
    return true
  }

  /// Writes the color's hue, saturation, brightness and alpha, from 0 to 1, to the pointers that aren't nil.
  ///
  /// - Returns: Always true, as every color here can be converted to HSB.
  @discardableResult
  open func getHue(
    _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?, brightness: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let color = cgColor.rgba.hsb
    hue?.pointee = color.hue
    saturation?.pointee = color.saturation
    brightness?.pointee = color.brightness
    alpha?.pointee = cgColor.rgba.alpha
    return true
  }

  open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.cgColor == cgColor }

  open override var hash: Int { cgColor.hashValue }

  open override var description: String {
    let numbers = (cgColor.components ?? []).map { "\($0)" }.joined(separator: " ")
    return (cgColor.isGray ? "UIExtendedGrayColorSpace " : "UIExtendedSRGBColorSpace ") + numbers
  }
}
