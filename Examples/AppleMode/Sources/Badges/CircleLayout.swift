import UIKit

/// Cells around a circle; those that are inserted grow out of its middle.
public final class CircleLayout: UICollectionViewLayout {
  private var attributes: [UICollectionViewLayoutAttributes] = []
  private var inserted: Set<IndexPath> = []

  public override func prepare() {
    super.prepare()
    guard let collectionView else { return }
    let count = collectionView.numberOfItems(inSection: 0)
    let (center, radius) = (
      CGPoint(x: collectionView.bounds.width / 2, y: collectionView.bounds.height / 2), collectionView.bounds.width / 3
    )
    attributes = (0..<count).map { item in
      let result = UICollectionViewLayoutAttributes(forCellWith: IndexPath(item: item, section: 0))
      let angle = 2 * CGFloat.pi * CGFloat(item) / CGFloat(count)
      result.size = CGSize(width: 40, height: 40)
      result.center = CGPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
      return result
    }
  }

  public override var collectionViewContentSize: CGSize { collectionView?.bounds.size ?? .zero }

  public override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    attributes.filter { $0.frame.intersects(rect) }
  }

  public override func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    attributes.indices.contains(indexPath.item) ? attributes[indexPath.item] : nil
  }

  public override func prepare(forCollectionViewUpdates updateItems: [UICollectionViewUpdateItem]) {
    super.prepare(forCollectionViewUpdates: updateItems)
    inserted = Set(updateItems.compactMap { $0.updateAction == .insert ? $0.indexPathAfterUpdate : nil })
  }

  public override func initialLayoutAttributesForAppearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    guard inserted.contains(itemIndexPath), let collectionView else {
      return super.initialLayoutAttributesForAppearingItem(at: itemIndexPath)
    }
    let result = layoutAttributesForItem(at: itemIndexPath)?.copy() as? UICollectionViewLayoutAttributes
    result?.alpha = 0
    result?.center = CGPoint(x: collectionView.bounds.width / 2, y: collectionView.bounds.height / 2)
    return result
  }

  public override func finalizeCollectionViewUpdates() {
    super.finalizeCollectionViewUpdates()
    inserted = []
  }
}
