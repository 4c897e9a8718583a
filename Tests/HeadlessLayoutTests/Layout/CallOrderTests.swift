import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// A layout of rows of 20 points that notes what it is asked.
class NotingLayout: UICollectionViewLayout {
  var calls: [String] = []
  var contexts: [UICollectionViewLayoutInvalidationContext] = []
  var invalidatesOnBounds = false
  var rowHeight: CGFloat = 20

  override func prepare() {
    super.prepare()
    calls.append("prepare")
  }

  override var collectionViewContentSize: CGSize {
    calls.append("size")
    return CGSize(width: 100, height: CGFloat(collectionView?.numberOfItems(inSection: 0) ?? 0) * rowHeight)
  }

  override func layoutAttributesForElements(in rect: CGRect) -> [UICollectionViewLayoutAttributes]? {
    calls.append("elements \(Int(rect.minY))")
    return (0..<(collectionView?.numberOfItems(inSection: 0) ?? 0)).map { row(.item($0)) }.filter { $0.frame.intersects(rect) }
  }

  override func layoutAttributesForItem(at indexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    calls.append("item \(indexPath.item)")
    return row(indexPath)
  }

  func row(_ path: IndexPath) -> UICollectionViewLayoutAttributes {
    let attributes = UICollectionViewLayoutAttributes(forCellWith: path)
    attributes.frame = CGRect(0, CGFloat(path.item) * rowHeight, 100, rowHeight)
    return attributes
  }

  override func shouldInvalidateLayout(forBoundsChange newBounds: CGRect) -> Bool {
    calls.append("should \(Int(newBounds.minY))")
    return invalidatesOnBounds
  }

  override func invalidateLayout(with context: UICollectionViewLayoutInvalidationContext) {
    contexts.append(context)
    super.invalidateLayout(with: context)
  }

  override func prepare(forCollectionViewUpdates updateItems: [UICollectionViewUpdateItem]) {
    super.prepare(forCollectionViewUpdates: updateItems)
    calls.append("updates " + updateItems.map(\.text).joined(separator: ","))
  }

  override func finalizeCollectionViewUpdates() {
    super.finalizeCollectionViewUpdates()
    calls.append("finalize")
  }

  override func initialLayoutAttributesForAppearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    calls.append("initial \(itemIndexPath.item)")
    let attributes = row(itemIndexPath)
    attributes.alpha = 0
    return attributes
  }

  override func finalLayoutAttributesForDisappearingItem(at itemIndexPath: IndexPath) -> UICollectionViewLayoutAttributes? {
    calls.append("final \(itemIndexPath.item)")
    let attributes = row(itemIndexPath)
    attributes.alpha = 0.25
    return attributes
  }

  override func targetContentOffset(forProposedContentOffset proposedContentOffset: CGPoint) -> CGPoint {
    calls.append("target")
    return proposedContentOffset
  }

  override func prepareForTransition(to newLayout: UICollectionViewLayout) { calls.append("to") }

  override func prepareForTransition(from oldLayout: UICollectionViewLayout) { calls.append("from") }

  override func finalizeLayoutTransition() { calls.append("done") }

  /// The calls since the last time.
  func taken() -> [String] {
    defer { calls = [] }
    return calls
  }
}

extension UICollectionViewUpdateItem {
  /// The change in a few letters.
  var text: String {
    let path = { (path: IndexPath?) in path.map { $0.item == NSNotFound ? "s\($0.section)" : "\($0.item)" } ?? "" }
    return "\(updateAction):\(path(indexPathBeforeUpdate))>\(path(indexPathAfterUpdate))"
  }
}

@MainActor @Suite struct CallOrderTests {
  @Test func firstLayoutPreparesThenReadsTheSizeThenTheElements() {
    let layout = NotingLayout()
    let source = Source([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 50), layout, source)
    #expect(layout.taken() == [])
    view.layoutIfNeeded()
    #expect(layout.taken() == ["prepare", "size", "elements 0"])
    view.layoutIfNeeded()
    #expect(layout.taken() == [])
    #expect(source.asked == [.item(0), .item(1), .item(2)])
  }

  @Test func scrollingAsksForTheElementsAlone() {
    let layout = NotingLayout()
    let source = Source([30])
    let view = UICollectionView.noting(CGSize(width: 100, height: 50), layout, source)
    view.layoutIfNeeded()
    _ = layout.taken()
    view.contentOffset = CGPoint(x: 0, y: 200)
    #expect(layout.taken() == ["should 200"])
    view.layoutIfNeeded()
    #expect(layout.taken() == ["elements 200"])
    layout.invalidatesOnBounds = true
    view.contentOffset.y = 300
    view.layoutIfNeeded()
    #expect(layout.taken() == ["should 300", "prepare", "size", "elements 300"])
  }

  @Test func invalidationsPrepareAgainAndReloadsAskTheDataSource() throws {
    let layout = NotingLayout()
    let source = Source([3])
    let view = UICollectionView.noting(CGSize(width: 100, height: 50), layout, source)
    view.layoutIfNeeded()
    layout.contexts = []
    layout.invalidateLayout()
    let context = try #require(layout.contexts.first)
    #expect(context.invalidateEverything && !context.invalidateDataSourceCounts)
    view.layoutIfNeeded()
    source.counts = [5]
    #expect(view.numberOfItems(inSection: 0) == 3)
    view.reloadData()
    #expect(layout.contexts.last?.invalidateDataSourceCounts == true)
    #expect(view.numberOfItems(inSection: 0) == 5)
    #expect(view.indexPathsForVisibleItems == [.item(0), .item(1), .item(2)])
  }

  @Test func insertionAndDeletionFollowTheDocumentedOrder() {
    let layout = NotingLayout()
    let source = Source([2])
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), layout, source)
    view.layoutIfNeeded()
    _ = layout.taken()
    var finished: Bool?
    view.performBatchUpdates {
      source.counts = [2]
      view.deleteItems(at: [.item(0)])
      view.insertItems(at: [.item(1)])
    } completion: {
      finished = $0
    }
    #expect(finished == true)
    #expect(
      layout.taken() == [
        "prepare", "size", "updates delete:0>,insert:>1", "target", "elements 0", "final 0", "final 1", "initial 0", "initial 1",
        "finalize",
      ])
    view.layoutIfNeeded()
    #expect(layout.taken() == [])
  }

  @Test func changeOfLayoutsTellsBoth() {
    let (old, new) = (NotingLayout(), NotingLayout())
    let source = Source([2])
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), old, source)
    view.layoutIfNeeded()
    _ = old.taken()
    let cell = view.cellForItem(at: .item(1))
    new.rowHeight = 30
    view.setCollectionViewLayout(new, animated: true)
    #expect(old.taken() == ["to", "done"])
    #expect(new.taken() == ["from", "prepare", "size", "target", "elements 0", "done"])
    #expect(view.cellForItem(at: .item(1)) === cell && cell?.frame == CGRect(0, 30, 100, 30))
    #expect(old.collectionView == nil && new.collectionView === view && view.collectionViewLayout === new)
  }

  @Test func contextsNameWhatIsInvalidAndMoveTheOffset() {
    final class Context: UICollectionViewLayoutInvalidationContext {
      var reason = "none"
    }
    final class Layout: NotingLayout {
      override class var invalidationContextClass: AnyClass { Context.self }
    }
    let layout = Layout()
    let source = Source([30])
    let view = UICollectionView.noting(CGSize(width: 100, height: 50), layout, source)
    view.layoutIfNeeded()
    let context = layout.invalidationContext(forBoundsChange: .zero)
    #expect((context as? Context)?.reason == "none")
    context.invalidateItems(at: [.item(1)])
    context.invalidateItems(at: [.item(2)])
    context.invalidateSupplementaryElements(ofKind: "a", at: [.item(0)])
    context.invalidateSupplementaryElements(ofKind: "a", at: [.item(1)])
    context.invalidateDecorationElements(ofKind: "b", at: [.item(0)])
    context.contentOffsetAdjustment = CGPoint(x: 0, y: 7)
    #expect(context.invalidatedItemIndexPaths == [.item(1), .item(2)])
    #expect(context.invalidatedSupplementaryIndexPaths == ["a": [.item(0), .item(1)]])
    #expect(context.invalidatedDecorationIndexPaths == ["b": [.item(0)]])
    layout.invalidateLayout(with: context)
    #expect(view.contentOffset == CGPoint(x: 0, y: 7))
    _ = layout.taken()
    view.layoutIfNeeded()
    #expect(layout.taken() == ["prepare", "size", "elements 7"])
  }
}
