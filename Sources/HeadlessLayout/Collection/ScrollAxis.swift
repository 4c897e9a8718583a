import Foundation
import HeadlessDrawing

/// Computes the content offset in one direction when a collection view scrolls to an item.
struct ScrollAxis {
  /// The start and end of the item in the content's coordinates.
  let start, end: CGFloat
  /// The length of the view (`length`), and how far the content insets extend the content at its start and end (`insets`).
  let length: CGFloat
  let insets: (start: CGFloat, end: CGFloat)

  /// The content offset at which the item is shown.
  ///
  /// - Parameter position: Whether the item is wanted at the start, in the middle and at the end. If not exactly one is true, the offset changes as
  ///   little as possible.
  func offset(from offset: CGFloat, to position: [Bool]) -> CGFloat {
    let start = start - insets.start
    let end = end + insets.end - length
    switch position {
    case [true, false, false]: return start
    case [false, true, false]: return (start + end) / 2
    case [false, false, true]: return end
    default: return min(max(offset, end), start)
    }
  }
}
