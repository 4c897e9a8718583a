import Foundation

/// The type of a list of colors in Core Graphics' functions: `[first.cgColor, second.cgColor] as CFArray`.
public typealias CFArray = NSArray

/// One color of a gradient and its position: 0 is the gradient's start, 1 its end.
struct GradientStop: Hashable, Sendable {
  var location: CGFloat
  var color: ColorComponents
}

/// A gradient: colors at positions from 0 to 1, between which the color changes evenly. Immutable, and usable on any thread.
public final class CGGradient: Sendable {
  let stops: [GradientStop]

  init(stops: [GradientStop]) {
    // The offset as second key keeps stops with the same location in their original order; Swift's `sort` isn't documented as stable.
    self.stops = stops.enumerated().sorted { ($0.element.location, $0.offset) < ($1.element.location, $1.offset) }.map(\.element)
  }

  /// A gradient of colors at locations.
  ///
  /// - Parameters:
  ///   - space: Ignored: colors are mixed as red, green and blue.
  ///   - colors: Elements that are a `CGColor`; others, and a gradient without any, make the result nil.
  ///   - locations: As many numbers from 0 to 1 as there are colors; nil to spread the colors evenly.
  public convenience init?(colorsSpace space: CGColorSpace?, colors: CFArray, locations: UnsafePointer<CGFloat>?) {
    let count = colors.count
    guard count > 0 else { return nil }
    var stops: [GradientStop] = []
    for (index, element) in colors.enumerated() {
      guard let color = element as? CGColor else { return nil }
      let location = locations.map { $0[index] } ?? (count == 1 ? 0 : CGFloat(index) / CGFloat(count - 1))
      stops.append(GradientStop(location: ColorComponents.limited(location), color: color.rgba))
    }
    self.init(stops: stops)
  }

  /// A gradient of components: those of `count` colors one after the other, each with its alpha after them.
  ///
  /// - Parameter locations: `count` numbers from 0 to 1; nil to spread the colors evenly.
  public convenience init?(
    colorSpace space: CGColorSpace, colorComponents components: UnsafePointer<CGFloat>, locations: UnsafePointer<CGFloat>?, count: Int
  ) {
    guard count > 0 else { return nil }
    let size = space.numberOfComponents + 1
    let stops = (0..<count).compactMap { index -> GradientStop? in
      guard let color = CGColor(colorSpace: space, components: components + index * size) else { return nil }
      let location = locations.map { $0[index] } ?? (count == 1 ? 0 : CGFloat(index) / CGFloat(count - 1))
      return GradientStop(location: ColorComponents.limited(location), color: color.rgba)
    }
    self.init(stops: stops)
  }
}

/// Whether a gradient is painted beyond its start and its end.
public struct CGGradientDrawingOptions: OptionSet, Hashable, Sendable {
  /// The options as bits.
  public let rawValue: UInt32

  /// The options of these bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The first color continues before the start.
  public static let drawsBeforeStartLocation = CGGradientDrawingOptions(rawValue: 1 << 0)
  /// The last color continues after the end.
  public static let drawsAfterEndLocation = CGGradientDrawingOptions(rawValue: 1 << 1)
}
