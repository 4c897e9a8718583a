import HeadlessDrawing
import HeadlessLayout
import Foundation

/// A data source of numbers of items, with cells that note what happens to them.
@MainActor
class Source: NSObject, UICollectionViewDataSource {
  var counts: [Int]
  /// The cells that were asked for.
  var asked: [IndexPath] = []

  init(_ counts: [Int]) { self.counts = counts }

  func numberOfSections(in collectionView: UICollectionView) -> Int { counts.count }

  func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { counts[section] }

  func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
    asked.append(indexPath)
    return collectionView.dequeueReusableCell(withReuseIdentifier: "cell", for: indexPath)
  }

  func collectionView(
    _ collectionView: UICollectionView, viewForSupplementaryElementOfKind kind: String, at indexPath: IndexPath
  ) -> UICollectionReusableView {
    collectionView.dequeueReusableSupplementaryView(ofKind: kind, withReuseIdentifier: "view", for: indexPath)
  }
}

/// A cell that counts.
class NotingCell: UICollectionViewCell {
  var reuses = 0
  var frames: [CGRect] = []
  var alphas: [CGFloat] = []

  override func prepareForReuse() {
    super.prepareForReuse()
    reuses += 1
  }

  override func apply(_ layoutAttributes: UICollectionViewLayoutAttributes) {
    super.apply(layoutAttributes)
    frames.append(layoutAttributes.frame)
    alphas.append(layoutAttributes.alpha)
  }
}

/// A supplementary or decoration view.
class NotingView: UICollectionReusableView {
  var reuses = 0

  override func prepareForReuse() { reuses += 1 }
}

extension UICollectionView {
  /// A collection view with noting cells and views registered.
  static func noting(_ size: CGSize, _ layout: UICollectionViewLayout, _ source: any UICollectionViewDataSource) -> UICollectionView {
    let view = UICollectionView(frame: CGRect(origin: .zero, size: size), collectionViewLayout: layout)
    view.register(NotingCell.self, forCellWithReuseIdentifier: "cell")
    for kind in [UICollectionView.elementKindSectionHeader, UICollectionView.elementKindSectionFooter] {
      view.register(NotingView.self, forSupplementaryViewOfKind: kind, withReuseIdentifier: "view")
    }
    view.dataSource = source
    return view
  }
}

extension CGRect {
  /// A rectangle by its four numbers.
  init(_ x: CGFloat, _ y: CGFloat, _ width: CGFloat, _ height: CGFloat) { self.init(x: x, y: y, width: width, height: height) }
}

extension IndexPath {
  /// An item of the first section.
  static func item(_ item: Int, _ section: Int = 0) -> IndexPath { IndexPath(item: item, section: section) }
}
