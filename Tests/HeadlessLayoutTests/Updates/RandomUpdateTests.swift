import Foundation
import HeadlessDrawing
import HeadlessLayout
import Testing

/// Numbers that are the same in every run.
private struct Numbers {
  var state: UInt64

  /// A number below `bound`; 0 for a bound of 0.
  mutating func next(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return bound > 0 ? Int(state >> 33) % bound : 0
  }

  /// Some of the numbers below `bound`, in a random order.
  mutating func some(_ count: Int, below bound: Int) -> [Int] {
    var rest = Array(0..<bound)
    return (0..<min(count, bound)).map { _ in rest.remove(at: next(rest.count)) }
  }
}

/// Items with names, which their cells show as tags.
private final class NamedSource: Source {
  var names: [Int] = []

  override func collectionView(_ collectionView: UICollectionView, numberOfItemsInSection section: Int) -> Int { names.count }

  override func collectionView(_ collectionView: UICollectionView, cellForItemAt indexPath: IndexPath) -> UICollectionViewCell {
    let cell = super.collectionView(collectionView, cellForItemAt: indexPath)
    cell.tag = names[indexPath.item]
    return cell
  }
}

@MainActor @Suite struct RandomUpdateTests {
  /// After any update every cell shows its item, where a new collection view would have it, and only inserted items were asked for.
  @Test(arguments: 1...40) func cellsShowTheirItemsAfterAnyUpdate(_ seed: UInt64) {
    var numbers = Numbers(state: seed)
    let source = NamedSource([0])
    source.names = Array(0..<12)
    let view = UICollectionView.noting(CGSize(width: 100, height: 1000), NotingLayout(), source)
    view.layoutIfNeeded()
    var fresh = 100
    for _ in 0..<20 {
      let old = source.names
      let changed = numbers.some(numbers.next(6), below: old.count)
      let moved = changed.prefix(numbers.next(changed.count + 1))
      let deleted = changed.dropFirst(moved.count)
      let inserted = numbers.next(5)
      let length = old.count - deleted.count + inserted
      let slots = numbers.some(moved.count + inserted, below: length)
      var names = [Int?](repeating: nil, count: length)
      for (item, slot) in zip(moved, slots) { names[slot] = old[item] }
      for slot in slots.dropFirst(moved.count) {
        names[slot] = fresh
        fresh += 1
      }
      var kept = old.indices.filter { !changed.contains($0) }.map { old[$0] }[...]
      source.asked = []
      view.performBatchUpdates {
        source.names = names.map { $0 ?? kept.popFirst() ?? -1 }
        view.deleteItems(at: deleted.map { .item($0) })
        for (item, slot) in zip(moved, slots) { view.moveItem(at: .item(item), to: .item(slot)) }
        view.insertItems(at: slots.dropFirst(moved.count).map { .item($0) })
      }
      #expect(view.visibleCells.map(\.tag) == source.names)
      #expect(view.visibleCells.map(\.frame.minY) == source.names.indices.map { CGFloat($0) * 20 })
      #expect(source.asked.count == inserted && view.subviews.count == length)
    }
  }

  @Test func collectionViewIsReleased() {
    weak var view: UICollectionView?
    weak var layout: UICollectionViewLayout?
    do {
      let source = Source([3])
      let shown = UICollectionView.noting(CGSize(width: 100, height: 100), NotingLayout(), source)
      view = shown
      layout = shown.collectionViewLayout
      #expect(shown.visibleCells.count == 3)
    }
    #expect(view == nil && layout == nil)
  }
}
