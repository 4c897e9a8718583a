import Foundation
import HeadlessDrawing
import HeadlessLayout

// A source as an app for UIKit has it: only its `import UIKit` is three modules here.

/// Items on a circle, with a header above it and a plate behind it; inserted items come from the middle.
class CircleLayout: UICollectionViewLayout {
  static let plate = "Plate"

  var center = CGPoint.zero
  var radius: CGFloat = 0
  private var itemCount = 0
  private var insertedIndexPaths = [IndexPath]()
  private var deletedIndexPaths = [IndexPath]()

  override init() {
    super.init()
    register(PlateView.self, forDecorationViewOfKind: CircleLayout.plate)
  }

  required init?(coder aDecoder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }

  override class var layoutAttributesClass: AnyClass {
    return CircleAttributes.self
  }

  override func prepare() {
    super.prepare()
    guard let collectionView = collectionView else { return }
    let size = collectionView.bounds.size
    itemCount = collectionView.numberOfItems(inSection: 0)
    center = CGPoint(x: size.width / 2.0, y: size.height / 2.0)
    radius = min(size.width, size.height) / 2.5
  }

  override var collectionViewContentSize: CGSize {
    return collectionView?.bounds.size ?? .zero
  }

  override func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    let attributes = CircleAttributes(forCellWith: indexPath)
    let angle = 2 * CGFloat.pi * CGFloat(indexPath.item) / CGFloat(itemCount)
    attributes.size = CGSize(width: 20, height: 20)
    attributes.center = CGPoint(x: center.x + radius * cos(angle), y: center.y + radius * sin(angle))
    attributes.angle = angle
    return attributes
  }

  override func layoutAttributesForSupplementaryView(
    ofKind elementKind: String, at indexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? {
    let attributes = UICollectionViewLayoutAttributes(forSupplementaryViewOfKind: elementKind, with: indexPath)
    attributes.frame = CGRect(x: 0, y: 0, width: collectionViewContentSize.width, height: 10)
    return attributes
  }

  override func layoutAttributesForDecorationView(
    ofKind elementKind: String, at indexPath: IndexPath
  ) -> UICollectionViewLayoutAttributes? {
    let attributes = UICollectionViewLayoutAttributes(forDecorationViewOfKind: elementKind, with: indexPath)
    attributes.frame = CGRect(origin: .zero, size: collectionViewContentSize)
    attributes.zIndex = -1
    return attributes
  }

  override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    let first = IndexPath(item: 0, section: 0)
    var attributes = (0..<itemCount).compactMap { layoutAttributesForItem(at: IndexPath(item: $0, section: 0)) }
    attributes.append(layoutAttributesForSupplementaryView(ofKind: UICollectionView.elementKindSectionHeader, at: first)!)
    attributes.append(layoutAttributesForDecorationView(ofKind: CircleLayout.plate, at: first)!)
    return attributes
  }

  override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool {
    return newBounds.size != collectionView?.bounds.size
  }

  override func prepare(forCollectionViewUpdates updateItems: [UICollectionViewUpdateItem]) {
    super.prepare(forCollectionViewUpdates: updateItems)
    for update in updateItems {
      switch update.updateAction {
      case .insert:
        if let indexPath = update.indexPathAfterUpdate { insertedIndexPaths.append(indexPath) }
      case .delete:
        if let indexPath = update.indexPathBeforeUpdate { deletedIndexPaths.append(indexPath) }
      default:
        break
      }
    }
  }

  override func finalizeCollectionViewUpdates() {
    super.finalizeCollectionViewUpdates()
    insertedIndexPaths.removeAll()
    deletedIndexPaths.removeAll()
  }

  override func initialLayoutAttributesForAppearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    var attributes = super.initialLayoutAttributesForAppearingItem(at: itemIndexPath)
    if insertedIndexPaths.contains(itemIndexPath) {
      attributes = attributes ?? layoutAttributesForItem(at: itemIndexPath)
      attributes?.alpha = 0.0
      attributes?.center = center
    }
    return attributes
  }

  override func finalLayoutAttributesForDisappearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    var attributes = super.finalLayoutAttributesForDisappearingItem(at: itemIndexPath)
    if deletedIndexPaths.contains(itemIndexPath) {
      attributes = attributes ?? layoutAttributesForItem(at: itemIndexPath)
      attributes?.alpha = 0.0
      attributes?.center = center
      attributes?.transform = CGAffineTransform(scaleX: 0.1, y: 0.1)
    }
    return attributes
  }
}

class CircleAttributes: UICollectionViewLayoutAttributes {
  var angle: CGFloat = 0

  override func copy(with zone: NSZone? = nil) -> Any {
    let copy = super.copy(with: zone) as! CircleAttributes
    copy.angle = angle
    return copy
  }
}

class PlateView: UICollectionReusableView {
  override init(frame: CGRect) {
    super.init(frame: frame)
    backgroundColor = .yellow
  }

  required init?(coder: NSCoder) {
    fatalError("init(coder:) has not been implemented")
  }
}

class TitleView: UICollectionReusableView {
  static let reuseIdentifier = "TitleView"
  let label = UILabel()

  override init(frame: CGRect) {
    super.init(frame: frame)
    label.frame = bounds
    label.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    label.textAlignment = .center
    addSubview(label)
  }

  required init?(coder: NSCoder) {
    fatalError()
  }
}

class DotCell: UICollectionViewCell {
  static let reuseIdentifier = "DotCell"
  var angle: CGFloat = 0
  var starts = [(CGFloat, CGPoint)]()

  override init(frame: CGRect) {
    super.init(frame: frame)
    contentView.backgroundColor = .red
  }

  required init?(coder: NSCoder) {
    fatalError()
  }

  override func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {
    super.apply(layoutAttributes)
    starts.append((layoutAttributes.alpha, layoutAttributes.center))
    if let attributes = layoutAttributes as? CircleAttributes { angle = attributes.angle }
  }
}

class DotsController: NSObject, UICollectionViewDataSource, UICollectionViewDelegate {
  var dots = [1, 2, 3, 4]
  let collectionView: UICollectionView

  override init() {
    collectionView = UICollectionView(frame: CGRect(x: 0, y: 0, width: 200, height: 200), collectionViewLayout: CircleLayout())
    super.init()
    collectionView.register(DotCell.self, forCellWithReuseIdentifier: DotCell.reuseIdentifier)
    collectionView.register(
      TitleView.self, forSupplementaryViewOfKind: UICollectionView.elementKindSectionHeader,
      withReuseIdentifier: TitleView.reuseIdentifier)
    collectionView.dataSource = self
    collectionView.delegate = self
  }

  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int {
    return dots.count
  }

  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
    let cell = collectionView.dequeueReusableCell(withReuseIdentifier: DotCell.reuseIdentifier, for: indexPath) as! DotCell
    cell.tag = dots[indexPath.item]
    return cell
  }

  func collectionView(
    _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
  ) -> UICollectionReusableView {
    let view =
      collectionView.dequeueReusableSupplementaryView(ofKind: kind, withReuseIdentifier: TitleView.reuseIdentifier, for: indexPath)
      as! TitleView
    view.label.text = "\(dots.count) dots"
    return view
  }
}
