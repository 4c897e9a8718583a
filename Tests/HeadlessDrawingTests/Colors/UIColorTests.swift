import Foundation
import Testing

@testable import HeadlessDrawing

struct UIColorTests {
  private func rgba(_ color: UIColor) -> [CGFloat] {
    var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (-1, -1, -1, -1)
    #expect(color.getRed(&red, green: &green, blue: &blue, alpha: &alpha))
    return [red, green, blue, alpha].map { ($0 * 1e6).rounded() / 1e6 }
  }

  @Test func componentsAreWhatWasGiven() {
    #expect(rgba(UIColor(red: 0.1, green: 0.2, blue: 0.3, alpha: 0.4)) == [0.1, 0.2, 0.3, 0.4])
    #expect(rgba(UIColor(white: 0.5, alpha: 1)) == [0.5, 0.5, 0.5, 1])
    #expect(rgba(UIColor(cgColor: CGColor(red: 1, green: 0, blue: 0, alpha: 1))) == [1, 0, 0, 1])
    #expect(rgba(UIColor(displayP3Red: 1, green: 0, blue: 0, alpha: 1)) == [1, 0, 0, 1])
  }

  private static let hues: [(hsb: [CGFloat], rgb: [CGFloat])] = [
    ([0, 1, 1], [1, 0, 0]), ([1 / 3, 1, 1], [0, 1, 0]), ([2 / 3, 1, 1], [0, 0, 1]), ([0.5, 1, 0.5], [0, 0.5, 0.5]),
    ([0.25, 0, 0.75], [0.75, 0.75, 0.75]), ([1, 1, 1], [1, 0, 0]), ([0.125, 0.5, 0.8], [0.8, 0.7, 0.4]),
  ]

  @Test(arguments: hues.indices)
  func hueBecomesRedGreenBlue(index: Int) {
    let (hsb, rgb) = Self.hues[index]
    #expect(rgba(UIColor(hue: hsb[0], saturation: hsb[1], brightness: hsb[2], alpha: 1)) == rgb + [1])
  }

  @Test func hueComesBack() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<200 {
      let (hue, saturation, brightness) = (
        CGFloat.random(in: 0..<1, using: &random), CGFloat.random(in: 0.1...1, using: &random), CGFloat.random(in: 0.1...1, using: &random)
      )
      var found: (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
      UIColor(hue: hue, saturation: saturation, brightness: brightness, alpha: 0.5)
        .getHue(&found.0, saturation: &found.1, brightness: &found.2, alpha: &found.3)
      #expect(abs(found.0 - hue) < 1e-9 && abs(found.1 - saturation) < 1e-9 && abs(found.2 - brightness) < 1e-9 && found.3 == 0.5)
    }
  }

  @Test func componentsAreLimited() {
    #expect(rgba(UIColor(red: -1, green: 2, blue: .nan, alpha: .infinity)) == [0, 1, 0, 1])
    #expect(rgba(UIColor(hue: .nan, saturation: .infinity, brightness: -.infinity, alpha: 9)) == [0, 0, 0, 1])
  }

  @Test func whiteIsReadFromGreysAndByLuminanceFromColors() {
    var (white, alpha): (CGFloat, CGFloat) = (0, 0)
    #expect(UIColor(white: 0.25, alpha: 0.5).getWhite(&white, alpha: &alpha))
    #expect(white == 0.25 && alpha == 0.5)
    #expect(UIColor.green.getWhite(&white, alpha: nil))
    #expect(white == 0.7152)
  }

  @Test func equalityNeedsTheSameColorSpace() {
    #expect(UIColor.red == UIColor(red: 1, green: 0, blue: 0, alpha: 1))
    #expect(UIColor.red.hash == UIColor(red: 1, green: 0, blue: 0, alpha: 1).hash)
    #expect(UIColor.white != UIColor(red: 1, green: 1, blue: 1, alpha: 1))
    #expect(UIColor.white.cgColor == CGColor.white)
  }

  @Test func alphaChangesAlone() {
    #expect(rgba(UIColor.systemBlue.withAlphaComponent(0.5)) == [0, 0.478431, 1, 0.5])
    #expect(UIColor.white.withAlphaComponent(0.5) == UIColor(white: 1, alpha: 0.5))
    #expect(CGColor.black.copy(alpha: 0.25)?.alpha == 0.25)
  }

  @Test func coreGraphicsSeesComponents() {
    #expect(UIColor.black.cgColor.components == [0, 1])
    #expect(UIColor.black.cgColor.numberOfComponents == 2)
    #expect(UIColor.orange.cgColor.components == [1, 0.5, 0, 1])
    #expect(CGColor(colorSpace: CGColorSpaceCreateDeviceRGB(), components: [0.5, 0.25, 1, 1])?.components == [0.5, 0.25, 1, 1])
    #expect(CGColor(colorSpace: CGColorSpaceCreateDeviceGray(), components: [0.5, 1])?.numberOfComponents == 2)
    #expect(CGColorSpace(name: CGColorSpace.sRGB) == CGColorSpaceCreateDeviceRGB())
    #expect(CGColorSpace(name: "none") == nil)
  }

  @Test func gradientKeepsStopsInOrder() throws {
    let colors = [UIColor.red.cgColor, UIColor.green.cgColor, UIColor.blue.cgColor] as CFArray
    let even = try #require(CGGradient(colorsSpace: nil, colors: colors, locations: nil))
    #expect(even.stops.map(\.location) == [0, 0.5, 1])
    let sorted = try #require(CGGradient(colorsSpace: nil, colors: colors, locations: [1, 0.2, 0.2]))
    #expect(sorted.stops.map(\.location) == [0.2, 0.2, 1])
    #expect(sorted.stops.map(\.color.red) == [0, 0, 1])
    #expect(CGGradient(colorsSpace: nil, colors: [] as NSArray, locations: nil) == nil)
    #expect(CGGradient(colorsSpace: nil, colors: ["red"] as NSArray, locations: nil) == nil)
    let components = try #require(
      CGGradient(colorSpace: CGColorSpaceCreateDeviceGray(), colorComponents: [0, 1, 1, 1], locations: [0, 1], count: 2))
    #expect(components.stops.map(\.color.red) == [0, 1])
  }
}
