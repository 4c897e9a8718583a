import Foundation

@testable import HeadlessDrawing

extension UIImage {
  /// The components of a pixel from 0 to 255: red, green, blue, alpha; empty outside of the image.
  func pixel(_ x: Int, _ y: Int) -> [Int] {
    guard let color = cgImage?.bitmap.components(x: x, y: y) else { return [] }
    return [color.red, color.green, color.blue, color.alpha].map { Int($0.rounded()) }
  }

  /// Draws an image of this size, one pixel a point.
  static func drawn(_ width: CGFloat, _ height: CGFloat, _ actions: (CGContext) -> Void) -> UIImage {
    UIGraphicsImageRenderer(size: CGSize(width: width, height: height)).image { actions($0.cgContext) }
  }
}

/// Components that tests expect of pixels.
enum Pixel {
  static let none = [0, 0, 0, 0]
  static let black = [0, 0, 0, 255]
  static let red = [255, 0, 0, 255]
  static let green = [0, 255, 0, 255]
  static let blue = [0, 0, 255, 255]
  static let white = [255, 255, 255, 255]
}
