import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

@MainActor @Suite struct UpdateTests {
  private let layout = NotingLayout()
  private let source = Source([3])

  private func shown() -> UICollectionView {
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), layout, source)
    view.layoutIfNeeded()
    return view
  }

  private func same(_ left: [NotingCell], _ right: some Sequence<NotingCell>) -> Bool {
    left.map(ObjectIdentifier.init) == right.map(ObjectIdentifier.init)
  }

  private func cells(_ view: UICollectionView) -> [NotingCell] { view.visibleCells.compactMap { $0 as? NotingCell } }

  @Test func insertedCellGetsItsInitialAttributesFirst() {
    let view = shown()
    let before = cells(view)
    source.counts = [4]
    view.insertItems(at: [.item(1)])
    let after = cells(view)
    #expect(after.count == 4)
    #expect(after[0] === before[0] && after[2] === before[1] && after[3] === before[2])
    #expect(after[1].alphas.suffix(2) == [0, 1])
    #expect(after[3].frame == CGRect(0, 60, 100, 20) && view.contentSize.height == 80)
    #expect(source.asked.last == .item(1))
  }

  @Test func deletedCellGetsItsFinalAttributesAndIsReused() {
    let view = shown()
    let before = cells(view)
    source.counts = [2]
    view.deleteItems(at: [.item(0)])
    #expect(before[0].alphas.last == 0.25 && before[0].superview == nil)
    #expect(same(cells(view), before.dropFirst()))
    source.counts = [3]
    view.insertItems(at: [.item(2)])
    #expect(cells(view)[2] === before[0] && before[0].reuses == 1 && before[0].alpha == 1)
  }

  @Test func movedCellsKeepTheirViews() {
    let view = shown()
    let before = cells(view)
    view.moveItem(at: .item(0), to: .item(2))
    #expect(same(cells(view), [before[1], before[2], before[0]]))
    #expect(before[0].frame.minY == 40 && source.asked.count == 3)
    #expect(layout.calls.contains("updates move:0>2"))
  }

  @Test func reloadedItemsAreAskedForAnew() {
    let view = shown()
    let before = cells(view)
    view.reloadItems(at: [.item(1)])
    #expect(source.asked.last == .item(1) && source.asked.count == 4)
    #expect(cells(view)[0] === before[0] && cells(view)[2] === before[2])
    #expect(layout.calls.contains("updates reload:1>1"))
    view.reloadSections([0])
    #expect(source.asked.count == 7 && cells(view).count == 3)
    #expect(layout.calls.contains("updates reload:s0>s0"))
  }

  @Test func sectionsAreInsertedMovedAndDeleted() {
    let flow = UICollectionViewFlowLayout()
    flow.headerReferenceSize = CGSize(width: 0, height: 10)
    source.counts = [1, 2]
    let view = UICollectionView.noting(CGSize(width: 100, height: 500), flow, source)
    view.layoutIfNeeded()
    let header = view.supplementaryView(forElementKind: UICollectionView.elementKindSectionHeader, at: .item(0, 1))
    let cell = view.cellForItem(at: .item(1, 1))
    source.counts = [2, 1]
    view.moveSection(0, toSection: 1)
    #expect(view.cellForItem(at: .item(1, 0)) === cell)
    #expect(view.supplementaryView(forElementKind: UICollectionView.elementKindSectionHeader, at: .item(0, 0)) === header)
    source.counts = [3, 2, 1]
    view.insertSections([0])
    #expect(view.cellForItem(at: .item(1, 1)) === cell && view.numberOfSections == 3)
    source.counts = [2]
    view.deleteSections([0, 2])
    #expect(view.cellForItem(at: .item(1, 0)) === cell && view.visibleCells.count == 2)
    #expect(view.visibleSupplementaryViews(ofKind: UICollectionView.elementKindSectionHeader).count == 1)
  }

  @Test func selectionFollowsItems() {
    let view = shown()
    view.selectItem(at: .item(1), animated: false, scrollPosition: [])
    #expect(cells(view)[1].isSelected && view.indexPathsForSelectedItems == [.item(1)])
    source.counts = [4]
    view.insertItems(at: [.item(0)])
    #expect(view.indexPathsForSelectedItems == [.item(2)] && cells(view)[2].isSelected)
    view.selectItem(at: .item(0), animated: false, scrollPosition: [])
    #expect(view.indexPathsForSelectedItems == [.item(0)] && !cells(view)[2].isSelected)
    view.allowsMultipleSelection = true
    view.selectItem(at: .item(3), animated: false, scrollPosition: .top)
    view.selectItem(at: .item(9), animated: false, scrollPosition: .top)
    #expect(view.indexPathsForSelectedItems == [.item(0), .item(3)])
    view.deselectItem(at: .item(0), animated: false)
    #expect(view.indexPathsForSelectedItems == [.item(3)])
    view.selectItem(at: nil, animated: false, scrollPosition: [])
    #expect(view.indexPathsForSelectedItems == nil)
  }

  /// What UIKit raises an exception for loads everything anew.
  @Test(arguments: [
    [4], [3, 1], [2], [],
  ]) func countsThatDontAddUpReload(_ counts: [Int]) {
    let view = shown()
    source.counts = counts
    var finished: Bool?
    view.performBatchUpdates(
      { view.reloadItems(at: [.item(0)]) }, completion: { finished = $0 })
    #expect(finished == false)
    #expect(view.numberOfSections == counts.count && view.visibleCells.count == counts.first ?? 0)
  }

  @Test(arguments: [
    IndexPath(item: 7, section: 0), IndexPath(item: -1, section: 0), IndexPath(item: 0, section: 3), IndexPath(), IndexPath(index: 0),
    IndexPath(item: .max, section: .max), IndexPath(indexes: [0, 0, 0]),
  ]) func pathsThatArentThereChangeNothing(_ path: IndexPath) {
    let view = shown()
    view.deleteItems(at: [path])
    view.insertItems(at: [path])
    view.moveItem(at: path, to: .item(0))
    view.moveItem(at: .item(0), to: path)
    view.reloadItems(at: [path])
    view.reloadSections([7])
    view.moveSection(-4, toSection: 8)
    view.scrollToItem(at: path, at: .top, animated: true)
    view.selectItem(at: path, animated: true, scrollPosition: .top)
    view.deselectItem(at: path, animated: true)
    #expect(view.visibleCells.count == 3 && view.contentOffset == .zero)
    #expect(view.cellForItem(at: path) == nil && view.layoutAttributesForItem(at: path) == nil)
  }

  @Test func updateBeforeTheFirstLayoutLoads() {
    let view = UICollectionView.noting(CGSize(width: 100, height: 200), layout, source)
    source.counts = [4]
    view.insertItems(at: [.item(3)])
    #expect(view.visibleCells.count == 4)
    #expect(!layout.calls.contains { $0.hasPrefix("updates") })
  }

  @Test func nestedBatchesAreOneUpdate() {
    let view = shown()
    _ = layout.taken()
    view.performBatchUpdates {
      source.counts = [5]
      view.insertItems(at: [.item(3)])
      view.performBatchUpdates { view.insertItems(at: [.item(4)]) }
    }
    #expect(layout.taken().filter { $0.hasPrefix("updates") } == ["updates insert:>3,insert:>4"])
    #expect(view.visibleCells.count == 5)
  }
}
