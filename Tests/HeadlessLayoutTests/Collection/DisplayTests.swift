import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

@MainActor @Suite struct DisplayTests {
  @Test func cellsAreReusedWhileScrolling() {
    let source = Source([100])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.layoutIfNeeded()
    var made = Set(view.visibleCells.map(ObjectIdentifier.init))
    let kept = view.visibleCells
    #expect(made.count == 5)
    for offset in stride(from: 10, through: 1900, by: 10) {
      view.contentOffset.y = CGFloat(offset)
      made.formUnion(view.visibleCells.map(ObjectIdentifier.init))
    }
    #expect(made.count == 6)
    #expect(view.indexPathsForVisibleItems == (95..<100).map { .item($0) })
    #expect(kept.allSatisfy { $0.reuseIdentifier == "cell" })
    #expect(view.cellForItem(at: .item(0)) == nil)
  }

  @Test func cellIsMadeWithItsFrame() {
    final class Framed: UICollectionViewCell {
      let first: CGRect
      override init(frame: CGRect) {
        first = frame
        super.init(frame: frame)
      }
      required init?(coder: NSCoder) { nil }
    }
    let source = Source([2])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.register(Framed.self, forCellWithReuseIdentifier: "cell")
    #expect((view.cellForItem(at: .item(1)) as? Framed)?.first == CGRect(0, 20, 100, 20))
    #expect(view.cellForItem(at: .item(1))?.contentView.frame == CGRect(0, 0, 100, 20))
  }

  @Test func unregisteredIdentifiersGiveEmptyViews() {
    let source = Source([2])
    let view = UICollectionView(frame: CGRect(0, 0, 100, 100), collectionViewLayout: NotingLayout())
    view.dataSource = source
    #expect(view.visibleCells.count == 2)
    view.register(NotingView.self, forCellWithReuseIdentifier: "cell")
    view.reloadData()
    #expect(view.visibleCells.count == 2)
  }

  @Test func attributesThatMakeNoSenseArentShown() {
    final class Broken: UICollectionViewLayout {
      override var collectionViewContentSize: CGSize { CGSize(width: CGFloat.nan, height: -4) }
      override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
        let frames: [(IndexPath, CGRect)] = [
          (.item(0), CGRect(0, .nan, 10, 10)), (.item(1), CGRect(0, 0, .infinity, 10)), (.item(7), CGRect(0, 0, 10, 10)),
          (IndexPath(), CGRect(0, 0, 10, 10)), (.item(2), CGRect(0, 0, 10, 10)), (.item(2), CGRect(5, 5, 10, 10)),
        ]
        return frames.map { path, frame in
          let attributes = UICollectionViewLayoutAttributes(forCellWith: path)
          attributes.frame = frame
          return attributes
        }
      }
    }
    let source = Source([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), Broken(), source)
    #expect(view.indexPathsForVisibleItems == [.item(2)])
    #expect(view.cellForItem(at: .item(2))?.frame == CGRect(0, 0, 10, 10))
    #expect(view.indexPathForItem(at: CGPoint(x: 2, y: 2)) == .item(2))
    #expect(view.contentSize == .zero)
    source.counts = [-3]
    view.reloadData()
    #expect(view.numberOfItems(inSection: 0) == 0 && view.numberOfItems(inSection: -1) == 0 && view.visibleCells.isEmpty)
  }

  @Test func pointsFindTheForemostItem() {
    let layout = NotingLayout()
    let source = Source([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), layout, source)
    #expect(view.indexPathForItem(at: CGPoint(x: 5, y: 45)) == .item(2))
    #expect(view.indexPathForItem(at: CGPoint(x: 5, y: 65)) == nil)
    #expect(view.indexPathForItem(at: CGPoint(x: CGFloat.nan, y: 5)) == nil)
    #expect(view.cellForItem(at: .item(1)).flatMap { view.indexPath(for: $0) } == .item(1))
  }

  @Test(
    arguments: [
      (.top, 200), (.centeredVertically, 160), (.bottom, 120), ([], 120), ([.top, .bottom], 120),
    ] as [(UICollectionView.ScrollPosition, CGFloat)]
  ) func scrollingToAnItem(_ position: UICollectionView.ScrollPosition, _ expected: CGFloat) {
    let source = Source([30])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.scrollToItem(at: .item(10), at: position, animated: false)
    #expect(view.contentOffset == CGPoint(x: 0, y: expected))
    view.scrollToItem(at: .item(29), at: .top, animated: false)
    #expect(view.contentOffset.y == 500)
  }

  @Test func delegateIsToldOfWhatIsShownAndScrolled() {
    final class Noting: Source, UICollectionViewDelegate {
      var shown: [Int] = []
      var ended: [Int] = []
      var scrolls = 0
      func scrollViewDidScroll(_ scrollView: UIScrollView) { scrolls += 1 }
      func collectionView(_ collectionView: UICollectionView, willDisplay cell: UICollectionViewCell, forItemAt indexPath: IndexPath) {
        shown.append(indexPath.item)
      }
      func collectionView(
        _ collectionView: UICollectionView, didEndDisplaying cell: UICollectionViewCell, forItemAt indexPath: IndexPath
      ) { ended.append(indexPath.item) }
    }
    let source = Noting([30])
    let view = UICollectionView.noting(CGSize(width: 100, height: 40), NotingLayout(), source)
    view.delegate = source
    view.layoutIfNeeded()
    view.setContentOffset(CGPoint(x: 0, y: 20), animated: true)
    view.layoutIfNeeded()
    #expect(source.shown == [0, 1, 2] && source.ended == [0] && source.scrolls == 1)
    view.contentOffset = CGPoint(x: CGFloat.nan, y: 0)
    #expect(view.contentOffset.y == 20)
  }

  /// Layouts and data sources that change the collection view while it asks them.
  @Test func changesFromWithinEnd() {
    final class Restless: NotingLayout {
      override func prepare() {
        super.prepare()
        collectionView?.layoutIfNeeded()
        _ = collectionView?.visibleCells
        invalidateLayout()
        if calls.count < 40 { collectionView?.contentOffset.y += 1 }
      }
    }
    final class Reloading: Source {
      override func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
        collectionView.reloadData()
        collectionView.reloadItems(at: [.item(0)])
        _ = collectionView.cellForItem(at: .item(0))
        return super.collectionView(collectionView, cellForItemAt: indexPath)
      }
    }
    let (layout, source) = (Restless(), Reloading([3]))
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), layout, source)
    view.layoutIfNeeded()
    view.performBatchUpdates { view.reloadItems(at: [.item(1)]) }
    #expect(view.numberOfSections == 1)
  }

  @Test func boundsThatArentFiniteAreIgnored() {
    let source = Source([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.layoutIfNeeded()
    view.frame = CGRect(0, 0, .nan, .infinity)
    view.bounds = CGRect(.infinity, 0, 10, 10)
    #expect(view.bounds == CGRect(0, 0, 100, 100) && view.visibleCells.count == 3)
    let other = UICollectionView(frame: CGRect(.nan, 0, 1, 1), collectionViewLayout: UICollectionViewFlowLayout())
    #expect(other.frame == .zero && other.visibleCells.isEmpty && other.indexPathForItem(at: .zero) == nil)
  }

  @Test func viewsOfTheAppStayInFront() {
    let source = Source([30])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.layoutIfNeeded()
    let (front, back) = (UIView(), UIView())
    view.addSubview(front)
    view.insertSubview(back, at: 0)
    view.contentOffset.y = 50
    view.layoutIfNeeded()
    #expect(view.subviews.first === back && view.subviews.last === front && view.subviews.count == 8)
  }

  @Test func viewsThatCantBeShownTwiceAreShownOnce() {
    final class Same: Source {
      let cell = UICollectionViewCell(frame: .zero)
      let circle = UICollectionViewCell(frame: .zero)
      override func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
        if indexPath.item == 2 { circle.addSubview(collectionView) }
        return indexPath.item == 2 ? circle : cell
      }
    }
    let source = Same([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
    view.layoutIfNeeded()
    #expect(view.subviews == [source.cell])
    source.counts = [0]
    view.reloadData()
    #expect(view.subviews == [] && view.visibleCells == [])
  }
}
