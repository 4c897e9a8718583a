import Foundation

extension UICollectionView {
  /// Registers the class of cells with an identifier; nil removes the registration. Cells are created by `init(frame:)`.
  public func register(_ cellClass: AnyClass?, forCellWithReuseIdentifier identifier: String) {
    reuse.register(cellClass, as: .cell(identifier))
  }

  /// Registers the class of supplementary views with a kind and an identifier; nil removes the registration.
  public func register(
    _ viewClass: AnyClass?, forSupplementaryViewOfKind elementKind: String, withReuseIdentifier identifier: String
  ) {
    reuse.register(viewClass, as: .supplementary(kind: elementKind, identifier))
  }

  /// A cell for an item: one that is no longer visible, prepared for reuse, or a new one. If no class of cells is registered for the identifier, that
  /// is reported and an empty cell is returned; UIKit raises an exception.
  public func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath) -> UICollectionViewCell {
    reuse.view(.cell(identifier), for: .cell(indexPath), as: UICollectionViewCell.self, empty: UICollectionViewCell.init(frame:))
  }

  /// A supplementary view: one that is no longer visible, prepared for reuse, or a new one. If no class is registered for the kind and identifier,
  /// that is reported and an empty view is returned; UIKit raises an exception.
  public func dequeueReusableSupplementaryView(
    ofKind elementKind: String, withReuseIdentifier identifier: String, for indexPath: IndexPath
  ) -> UICollectionReusableView {
    reuse.view(
      .supplementary(kind: elementKind, identifier), for: .supplementary(elementKind, indexPath), as: UICollectionReusableView.self,
      empty: UICollectionReusableView.init(frame:))
  }

  /// Creates or reuses the view of an element that is about to be shown.
  func makeView(_ attributes: UICollectionViewLayoutAttributes) -> UICollectionReusableView {
    reuse.requested = attributes
    defer { reuse.requested = nil }
    let path = attributes.indexPath
    switch (attributes.representedElementCategory, attributes.representedElementKind) {
    case (.decorationView, let kind?):
      let view = reuse.dequeue(
        .decoration(kind), registered: currentLayout.decorationClasses[kind], frame: attributes.frame, as: UICollectionReusableView.self)
      return view ?? UICollectionReusableView(frame: attributes.frame)
    case (.supplementaryView, let kind?):
      return dataSource?.collectionView(self, viewForSupplementaryElementOfKind: kind, at: path)
        ?? UICollectionReusableView(frame: attributes.frame)
    case (.cell, _), (.supplementaryView, nil), (.decorationView, nil):
      let cell = dataSource?.collectionView(self, cellForItemAt: path) ?? UICollectionViewCell(frame: attributes.frame)
      cell.isSelected = selection.contains(path)
      return cell
    }
  }
}
