import Foundation
import HeadlessDrawing

/// One direction in which a collection view scrolls to an item.
struct ScrollAxis {
  /// Where the item begins and ends in the content.
  let start, end: CGFloat
  /// The length of the view, and what of it lies outside of the content at its start and its end.
  let length: CGFloat
  let insets: (start: CGFloat, end: CGFloat)

  /// The offset at which the item is shown.
  ///
  /// - Parameter position: Whether the item is to lie at the start, in the middle and at the end; else the offset changes by as little as
  ///   shows it.
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
