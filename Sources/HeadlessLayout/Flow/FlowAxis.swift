import Foundation
import HeadlessDrawing

/// Maps sizes and rectangles to the two directions of a flow layout. "Along" is the direction in which lines follow each other; "across" is that in
/// which the items of a line follow each other.
struct FlowAxis: Equatable, Sendable {
  private let isVertical: Bool

  init(_ direction: UICollectionView.ScrollDirection) { isVertical = direction == .vertical }

  /// The length of a size along the layout.
  func along(_ size: CGSize) -> CGFloat { isVertical ? size.height : size.width }

  /// The length of a size across the layout.
  func across(_ size: CGSize) -> CGFloat { isVertical ? size.width : size.height }

  /// The size with these lengths along and across the layout.
  func size(along: CGFloat, across: CGFloat) -> CGSize {
    isVertical ? CGSize(width: across, height: along) : CGSize(width: along, height: across)
  }

  /// The rectangle with this size and this origin along and across the layout.
  func rect(along: CGFloat, across: CGFloat, size: CGSize) -> CGRect {
    CGRect(origin: isVertical ? CGPoint(x: across, y: along) : CGPoint(x: along, y: across), size: size)
  }

  /// The start and end of a rectangle along the layout.
  func along(_ rect: CGRect) -> (start: CGFloat, end: CGFloat) { isVertical ? (rect.minY, rect.maxY) : (rect.minX, rect.maxX) }

  /// The insets before the first and after the last line.
  func along(_ insets: UIEdgeInsets) -> (start: CGFloat, end: CGFloat) {
    isVertical ? (insets.top, insets.bottom) : (insets.left, insets.right)
  }

  /// The insets at the start and the end of a line.
  func across(_ insets: UIEdgeInsets) -> (start: CGFloat, end: CGFloat) {
    isVertical ? (insets.left, insets.right) : (insets.top, insets.bottom)
  }

  /// The rectangle moved so that it begins at `start` along the layout.
  func moved(_ rect: CGRect, to start: CGFloat) -> CGRect {
    CGRect(origin: isVertical ? CGPoint(x: rect.origin.x, y: start) : CGPoint(x: start, y: rect.origin.y), size: rect.size)
  }
}
