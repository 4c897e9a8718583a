import Foundation

extension UIColor {
  // MARK: - Fixed colors

  /// Opaque black, a grey.
  public class var black: UIColor { UIColor(white: 0, alpha: 1) }
  /// A grey of a third.
  public class var darkGray: UIColor { UIColor(white: 1 / 3.0, alpha: 1) }
  /// A grey of two thirds.
  public class var lightGray: UIColor { UIColor(white: 2 / 3.0, alpha: 1) }
  /// Opaque white, a grey.
  public class var white: UIColor { UIColor(white: 1, alpha: 1) }
  /// A grey of a half.
  public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
  /// Pure red.
  public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
  /// Pure green.
  public class var green: UIColor { UIColor(red: 0, green: 1, blue: 0, alpha: 1) }
  /// Pure blue.
  public class var blue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
  /// Green and blue.
  public class var cyan: UIColor { UIColor(red: 0, green: 1, blue: 1, alpha: 1) }
  /// Red and green.
  public class var yellow: UIColor { UIColor(red: 1, green: 1, blue: 0, alpha: 1) }
  /// Red and blue.
  public class var magenta: UIColor { UIColor(red: 1, green: 0, blue: 1, alpha: 1) }
  /// Red and half of green.
  public class var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
  /// Half of red and of blue.
  public class var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
  /// Red of 0.6, green of 0.4, blue of 0.2.
  public class var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }
  /// Nothing: a black that is fully transparent.
  public class var clear: UIColor { UIColor(white: 0, alpha: 0) }
}

extension UIColor {
  // The system's colors in their light appearance. HeadlessDrawing has no dark appearance, so these colors aren't dynamic.

  /// The system's red.
  public class var systemRed: UIColor { light(255, 59, 48) }
  /// The system's green.
  public class var systemGreen: UIColor { light(52, 199, 89) }
  /// The system's blue.
  public class var systemBlue: UIColor { light(0, 122, 255) }
  /// The system's orange.
  public class var systemOrange: UIColor { light(255, 149, 0) }
  /// The system's yellow.
  public class var systemYellow: UIColor { light(255, 204, 0) }
  /// The system's pink.
  public class var systemPink: UIColor { light(255, 45, 85) }
  /// The system's purple.
  public class var systemPurple: UIColor { light(175, 82, 222) }
  /// The system's teal.
  public class var systemTeal: UIColor { light(48, 176, 199) }
  /// The system's indigo.
  public class var systemIndigo: UIColor { light(88, 86, 214) }
  /// The system's brown.
  public class var systemBrown: UIColor { light(162, 132, 94) }
  /// The system's mint.
  public class var systemMint: UIColor { light(0, 199, 190) }
  /// The system's cyan.
  public class var systemCyan: UIColor { light(50, 173, 230) }
  /// The system's grey.
  public class var systemGray: UIColor { light(142, 142, 147) }
  /// The system's grey of level 2; higher levels are lighter.
  public class var systemGray2: UIColor { light(174, 174, 178) }
  /// The system's grey of level 3; higher levels are lighter.
  public class var systemGray3: UIColor { light(199, 199, 204) }
  /// The system's grey of level 4; higher levels are lighter.
  public class var systemGray4: UIColor { light(209, 209, 214) }
  /// The system's grey of level 5; higher levels are lighter.
  public class var systemGray5: UIColor { light(229, 229, 234) }
  /// The system's grey of level 6; higher levels are lighter.
  public class var systemGray6: UIColor { light(242, 242, 247) }
  /// The background of contents that are grouped on `systemBackground`.
  public class var secondarySystemBackground: UIColor { light(242, 242, 247) }
  /// The color of links.
  public class var link: UIColor { light(0, 122, 255) }
  /// The color of separator lines that hide the contents below them.
  public class var opaqueSeparator: UIColor { light(198, 198, 200) }
  /// The color of controls.
  public class var tintColor: UIColor { systemBlue }
  /// The background of a view.
  public class var systemBackground: UIColor { white }
  /// The background of contents that are grouped on `secondarySystemBackground`.
  public class var tertiarySystemBackground: UIColor { white }
  /// The color of text.
  public class var label: UIColor { black }
  /// The color of text of secondary importance.
  public class var secondaryLabel: UIColor { light(60, 60, 67, 0.6) }
  /// The color of text of tertiary importance.
  public class var tertiaryLabel: UIColor { light(60, 60, 67, 0.3) }
  /// The color of text of the least importance.
  public class var quaternaryLabel: UIColor { light(60, 60, 67, 0.18) }
  /// The color of placeholder text in an empty field.
  public class var placeholderText: UIColor { light(60, 60, 67, 0.3) }
  /// The color of separator lines that let the contents below them show through.
  public class var separator: UIColor { light(60, 60, 67, 0.29) }
  /// The fill of small shapes.
  public class var systemFill: UIColor { light(120, 120, 128, 0.2) }
  /// The fill of shapes of medium size.
  public class var secondarySystemFill: UIColor { light(120, 120, 128, 0.16) }

  /// A system color from its components: red, green and blue from 0 to 255, alpha from 0 to 1.
  private static func light(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, _ alpha: CGFloat = 1) -> UIColor {
    UIColor(red: red / 255, green: green / 255, blue: blue / 255, alpha: alpha)
  }
}
