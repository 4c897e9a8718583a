import Foundation
import HeadlessDrawing

/// The settings of a flow layout, with their default values.
struct FlowSettings: Equatable {
  var lineSpacing: CGFloat = 10
  var interitemSpacing: CGFloat = 10
  var itemSize = CGSize(width: 50, height: 50)
  var estimatedItemSize = CGSize.zero
  var direction = UICollectionView.ScrollDirection.vertical
  var headerSize = CGSize.zero
  var footerSize = CGSize.zero
  var inset = UIEdgeInsets.zero
  var pinsHeaders = false
  var pinsFooters = false

  /// Whether cells are asked for the size that they prefer (self-sizing cells).
  var itemsSizeThemselves: Bool { estimatedItemSize != .zero }
}
