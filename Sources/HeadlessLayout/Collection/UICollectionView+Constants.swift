import Foundation

extension UICollectionView {
  /// The kind of a flow layout's section headers.
  public nonisolated static let elementKindSectionHeader = "UICollectionElementKindSectionHeader"
  /// The kind of a flow layout's section footers.
  public nonisolated static let elementKindSectionFooter = "UICollectionElementKindSectionFooter"

  /// The category of an element.
  public enum ElementCategory: UInt, Sendable {
    /// An item's cell.
    case cell
    /// A view that the data source provides, such as a header.
    case supplementaryView
    /// A view that the layout provides, such as a background.
    case decorationView
  }

  /// The direction in which the lines of a flow layout follow each other.
  public enum ScrollDirection: Int, Sendable {
    /// Lines follow each other from top to bottom.
    case vertical
    /// Lines follow each other from left to right.
    case horizontal
  }

  /// Where an item is to be in the view after scrolling to it: at most one vertical and one horizontal position.
  public struct ScrollPosition: OptionSet, Sendable {
    /// The option set as bits.
    public let rawValue: UInt
    /// The option set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The item is moved to the upper edge of the view.
    public static let top = ScrollPosition(rawValue: 1)
    /// The item is moved to the middle between the upper and the lower edge.
    public static let centeredVertically = ScrollPosition(rawValue: 2)
    /// The item is moved to the lower edge of the view.
    public static let bottom = ScrollPosition(rawValue: 4)
    /// The item is moved to the left edge of the view.
    public static let left = ScrollPosition(rawValue: 8)
    /// The item is moved to the middle between the left and the right edge.
    public static let centeredHorizontally = ScrollPosition(rawValue: 16)
    /// The item is moved to the right edge of the view.
    public static let right = ScrollPosition(rawValue: 32)
  }
}

/// UIKit's earlier name of `UICollectionView.ScrollDirection`.
public typealias UICollectionViewScrollDirection = UICollectionView.ScrollDirection
/// UIKit's earlier name of `UICollectionView.ScrollPosition`.
public typealias UICollectionViewScrollPosition = UICollectionView.ScrollPosition
/// UIKit's earlier name of `UICollectionView.elementKindSectionHeader`.
public let UICollectionElementKindSectionHeader = UICollectionView.elementKindSectionHeader
/// UIKit's earlier name of `UICollectionView.elementKindSectionFooter`.
public let UICollectionElementKindSectionFooter = UICollectionView.elementKindSectionFooter
