import Foundation

extension UICollectionView {
  /// The kind of the headers of a flow layout.
  public nonisolated static let elementKindSectionHeader = "UICollectionElementKindSectionHeader"
  /// The kind of the footers of a flow layout.
  public nonisolated static let elementKindSectionFooter = "UICollectionElementKindSectionFooter"

  /// What an element is.
  public enum ElementCategory: UInt, Sendable {
    /// The cell of an item.
    case cell
    /// A view of the data source's.
    case supplementaryView
    /// A view of the layout's.
    case decorationView
  }

  /// The direction in which a flow layout's lines follow each other.
  public enum ScrollDirection: Int, Sendable {
    /// From top to bottom.
    case vertical
    /// From left to right.
    case horizontal
  }

  /// Where an item lies after scrolling to it: at most one value of each direction.
  public struct ScrollPosition: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// The positions with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// At the upper edge.
    public static let top = ScrollPosition(rawValue: 1)
    /// In the middle between the upper and the lower edge.
    public static let centeredVertically = ScrollPosition(rawValue: 2)
    /// At the lower edge.
    public static let bottom = ScrollPosition(rawValue: 4)
    /// At the left edge.
    public static let left = ScrollPosition(rawValue: 8)
    /// In the middle between the left and the right edge.
    public static let centeredHorizontally = ScrollPosition(rawValue: 16)
    /// At the right edge.
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
