import Foundation

/// Identifies an element of a collection view by its category, kind and index path.
struct ElementKey: Hashable {
  var category: UICollectionView.ElementCategory
  /// The kind of a supplementary or decoration view; nil for a cell.
  var kind: String?
  var indexPath: IndexPath

  /// The key of a cell.
  static func cell(_ indexPath: IndexPath) -> ElementKey { ElementKey(category: .cell, kind: nil, indexPath: indexPath) }

  /// The key of a supplementary view.
  static func supplementary(_ kind: String, _ indexPath: IndexPath) -> ElementKey {
    ElementKey(category: .supplementaryView, kind: kind, indexPath: indexPath)
  }

  /// The key of a decoration view.
  static func decoration(_ kind: String, _ indexPath: IndexPath) -> ElementKey {
    ElementKey(category: .decorationView, kind: kind, indexPath: indexPath)
  }

  /// The order in which a collection view handles elements: cells, supplementary views, decoration views, each by kind and index path.
  static func precedes(_ left: ElementKey, _ right: ElementKey) -> Bool {
    (left.category.rawValue, left.kind ?? "", left.indexPath) < (right.category.rawValue, right.kind ?? "", right.indexPath)
  }
}

extension ElementKey {
  /// The element as words for a report.
  var description: String {
    switch category {
    case .cell: "the item at \(indexPath)"
    case .supplementaryView: "the supplementary view of kind \(kind ?? "") at \(indexPath)"
    case .decorationView: "the decoration view of kind \(kind ?? "") at \(indexPath)"
    }
  }
}
