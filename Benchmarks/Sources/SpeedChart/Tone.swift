import Foundation
import HeadlessUIKit

/// What a color of the picture is for. The picture is drawn in the light ones; a reader's dark theme replaces each by its dark one.
enum Tone: CaseIterable {
  case card, border, strong, text, faint, others, ours, gap

  /// Red, green and blue, a byte each. No two light ones are alike: they tell the tones apart.
  private var components: (light: UInt32, dark: UInt32) {
    switch self {
    case .card: (0xffffff, 0x161b22)
    case .border: (0xd0d7de, 0x3d444d)
    case .strong: (0x1f2328, 0xf0f6fc)
    case .text: (0x424a53, 0xb6bec7)
    case .faint: (0x6e7781, 0x8b949e)
    case .others: (0xb3bcc6, 0x656d76)
    case .ours: (0xe8590c, 0xff7a33)
    case .gap: (0xfffffe, 0x161b22)
    }
  }

  var color: UIColor {
    func part(_ shift: UInt32) -> CGFloat { CGFloat(components.light >> shift & 0xff) / 255 }
    return UIColor(red: part(16), green: part(8), blue: part(0), alpha: 1)
  }

  /// As SVG writes them.
  var light: String { Tone.text(components.light) }
  var dark: String { Tone.text(components.dark) }

  private static func text(_ components: UInt32) -> String { String(format: "#%06x", components) }
}
