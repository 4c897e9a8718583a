import Foundation
import HeadlessDrawing

/// The sizes of a section's items.
enum FlowSizes: Equatable {
  /// All items have the same size.
  case uniform(CGSize, count: Int)
  /// Each item has a size of its own.
  case single([CGSize])

  /// The sizes in a list, stored as `uniform` if all are equal.
  init(_ sizes: [CGSize]) {
    guard let first = sizes.first, sizes.allSatisfy({ $0 == first }) else {
      self = .single(sizes)
      return
    }
    self = .uniform(first, count: sizes.count)
  }

  /// The number of items.
  var count: Int {
    switch self {
    case .uniform(_, let count): count
    case .single(let sizes): sizes.count
    }
  }

  /// The size of an item.
  subscript(item: Int) -> CGSize {
    switch self {
    case .uniform(let size, _): size
    case .single(let sizes): sizes[item]
    }
  }

  /// Replaces the sizes of items whose cells prefer another size.
  mutating func take(_ preferred: [IndexPath: CGSize], section: Int) {
    guard !preferred.isEmpty else { return }
    self = FlowSizes((0..<count).map { preferred[IndexPath(item: $0, section: section)]?.sanitized ?? self[$0] })
  }
}

/// The values from which the frames of a section are computed: the delegate's answers, or the layout's settings.
struct FlowMetrics: Equatable {
  var sizes: FlowSizes
  var inset: UIEdgeInsets
  var lineSpacing: CGFloat
  var interitemSpacing: CGFloat
  var headerSize: CGSize
  var footerSize: CGSize
  /// Whether an item that is the only one of its section is centered in its line.
  var centersOnlyItem = false

  /// Asks the delegate for the metrics of all sections of a collection view; without one, the layout's settings are used.
  @MainActor static func ask(_ view: UICollectionView, _ layout: UICollectionViewFlowLayout) -> [FlowMetrics] {
    let delegate = view.delegate as? any UICollectionViewDelegateFlowLayout
    return (0..<view.numberOfSections).map { section in
      let count = view.numberOfItems(inSection: section)
      var sizes = FlowSizes.uniform(layout.itemSize.sanitized, count: count)
      if let delegate {
        sizes = FlowSizes(
          (0..<count).map {
            delegate.collectionView(view, layout: layout, sizeForItemAt: IndexPath(item: $0, section: section)).sanitized
          })
      }
      let estimate = layout.estimatedItemSize
      if sizes == .uniform(layout.itemSize.sanitized, count: count), estimate != .zero, estimate != UICollectionViewFlowLayout.automaticSize
      {
        sizes = .uniform(estimate.sanitized, count: count)
      }
      return FlowMetrics(
        sizes: sizes,
        inset: (delegate?.collectionView(view, layout: layout, insetForSectionAt: section) ?? layout.sectionInset).sanitized,
        lineSpacing: (delegate?.collectionView(view, layout: layout, minimumLineSpacingForSectionAt: section)
          ?? layout.minimumLineSpacing).sanitizedLength,
        interitemSpacing: (delegate?.collectionView(view, layout: layout, minimumInteritemSpacingForSectionAt: section)
          ?? layout.minimumInteritemSpacing).sanitizedLength,
        headerSize: (delegate?.collectionView(view, layout: layout, referenceSizeForHeaderInSection: section)
          ?? layout.headerReferenceSize).sanitized,
        footerSize: (delegate?.collectionView(view, layout: layout, referenceSizeForFooterInSection: section)
          ?? layout.footerReferenceSize).sanitized)
    }
  }
}
