import Foundation

/// A color as red, green, blue and alpha from 0 to 1; the colors aren't premultiplied by the alpha.
struct ColorComponents: Hashable, Sendable {
  var red: CGFloat
  var green: CGFloat
  var blue: CGFloat
  var alpha: CGFloat

  static let black = ColorComponents(red: 0, green: 0, blue: 0, alpha: 1)

  /// The color with each number limited to 0…1; a number that is NaN becomes 0.
  init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.red = Self.limited(red)
    self.green = Self.limited(green)
    self.blue = Self.limited(blue)
    self.alpha = Self.limited(alpha)
  }

  /// The RGB color of a hue, a saturation and a brightness (HSB); each is limited to 0…1.
  init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    let (saturation, brightness) = (Self.limited(saturation), Self.limited(brightness))
    /// The red, green or blue component by the HSB formula f(n), where `offset` is n: 5 for red, 3 for green, 1 for blue.
    func component(_ offset: CGFloat) -> CGFloat {
      let position = (offset + Self.limited(hue) * 6).truncatingRemainder(dividingBy: 6)
      return brightness * (1 - saturation * max(0, min(position, 4 - position, 1)))
    }
    self.init(red: component(5), green: component(3), blue: component(1), alpha: alpha)
  }

  /// The color as hue, saturation and brightness (HSB), each from 0 to 1. A grey's hue is 0.
  var hsb: (hue: CGFloat, saturation: CGFloat, brightness: CGFloat) {
    let (high, low) = (max(red, green, blue), min(red, green, blue))
    let range = high - low
    guard range > 0 else { return (0, 0, high) }
    let sixth: CGFloat
    if high == red {
      sixth = (green - blue) / range
    } else if high == green {
      sixth = 2 + (blue - red) / range
    } else {
      sixth = 4 + (red - green) / range
    }
    return ((sixth < 0 ? sixth + 6 : sixth) / 6, range / high, high)
  }

  /// The color as a grey from 0 to 1: its luminance by Rec. 709's weights.
  var white: CGFloat { red == green && green == blue ? red : 0.2126 * red + 0.7152 * green + 0.0722 * blue }

  func multiplyingAlpha(by factor: CGFloat) -> ColorComponents {
    ColorComponents(red: red, green: green, blue: blue, alpha: alpha * Self.limited(factor))
  }

  static func limited(_ number: CGFloat) -> CGFloat { number > 0 ? min(number, 1) : 0 }
}
