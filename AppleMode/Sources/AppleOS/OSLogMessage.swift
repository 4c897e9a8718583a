import Foundation

/// A message with interpolated values. They are made into text only where the message is written.
public struct OSLogMessage: ExpressibleByStringInterpolation {
  enum Piece {
    case literal(String)
    case value(() -> String, OSLogPrivacy, isText: Bool)
  }

  let pieces: [Piece]

  /// A message without values.
  public init(stringLiteral value: String) { pieces = [.literal(value)] }

  /// A message with values.
  public init(stringInterpolation: OSLogInterpolation) { pieces = stringInterpolation.pieces }

  /// Text and objects are private where they don't say otherwise, numbers aren't, as on Apple's platforms.
  func text(showingPrivate: Bool) -> String {
    pieces.map { piece in
      switch piece {
      case .literal(let text): text
      case .value(let value, let privacy, let isText):
        showingPrivate || privacy.shows(text: isText) ? value() : privacy.mask(value)
      }
    }.joined()
  }
}

/// Whether a value of a message may be read by others than the developer.
public struct OSLogPrivacy: Sendable {
  enum Rule: Sendable { case automatic, open, hidden, sensitive }

  let rule: Rule
  var isHashed = false

  /// Numbers are public, everything else is private.
  public static let auto = OSLogPrivacy(rule: .automatic)
  /// The value is written.
  public static let `public` = OSLogPrivacy(rule: .open)
  /// `<private>` is written.
  public static let `private` = OSLogPrivacy(rule: .hidden)
  /// `<sensitive>` is written.
  public static let sensitive = OSLogPrivacy(rule: .sensitive)

  /// What is written in place of a private value.
  public enum Mask: Sendable {
    /// A hash of it, by which equal values of one process can be told.
    case hash
    /// Nothing of it.
    case none
  }

  /// As `private`, with a mask.
  public static func `private`(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(rule: .hidden, isHashed: mask == .hash) }

  /// As `auto`, with a mask for what is private.
  public static func auto(mask: Mask) -> OSLogPrivacy { OSLogPrivacy(rule: .automatic, isHashed: mask == .hash) }

  func shows(text: Bool) -> Bool {
    switch rule {
    case .open: true
    case .automatic: !text
    case .hidden, .sensitive: false
    }
  }

  func mask(_ value: () -> String) -> String {
    if isHashed { return "<mask.hash: \(String(UInt(bitPattern: value().hashValue), radix: 16))>" }
    return rule == .sensitive ? "<sensitive>" : "<private>"
  }
}
