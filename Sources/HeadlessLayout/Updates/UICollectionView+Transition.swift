import Foundation
import HeadlessDrawing

extension UICollectionView {
  /// Performs an update: compares the changes with the data source's counts, tells the layout, and changes the views.
  ///
  /// - Returns: Whether the changes added up.
  func perform(_ changes: [CollectionChange]) -> Bool {
    guard activity == .none, knowledge == .layout else {
      reloadData()
      return false
    }
    let new = countsOfDataSource()
    guard !changes.isEmpty || new != counts else {
      layoutIfNeeded()
      return true
    }
    do throws(UpdatePlan.Mismatch) {
      let plan = try UpdatePlan(changes, from: counts, to: new)
      apply(plan, counts: new)
      layoutIfNeeded()
      return true
    } catch {
      report("invalid update of a collection view: \(error.message); everything is loaded anew")
      reloadData()
      layoutIfNeeded()
      return false
    }
  }

  private func apply(_ plan: UpdatePlan, counts new: CollectionCounts) {
    activity = .updating
    defer { activity = .none }
    let layout = currentLayout
    let context = layout.newContext()
    context.invalidateDataSourceCounts = true
    layout.invalidateLayout(with: context)
    counts = new
    select(moved: plan)
    knowledge = .layout
    layout.prepare()
    takeContentSize()
    layout.prepare(forCollectionViewUpdates: plan.updateItems)
    takeTargetOffset()
    change(to: elementsInBounds(), by: plan)
    layout.finalizeCollectionViewUpdates()
    needsLayout = knowledge != .layout
  }

  /// The selected items after an update.
  private func select(moved plan: UpdatePlan) { selection = Set(selection.compactMap { plan.item($0) }) }

  /// Changes what is on show to these elements.
  private func change(to elements: [UICollectionViewLayoutAttributes], by plan: UpdatePlan) {
    let layout = currentLayout
    let old = visible
    let before = old.keys.sorted(by: ElementKey.precedes)
    let after = elements.map(\.element).sorted(by: ElementKey.precedes)
    let named = namedElements(Set(before + after))
    var kept: [ElementKey: Visible] = [:]
    var leaving: [(key: ElementKey, final: UICollectionViewLayoutAttributes?)] = []
    let wanted = Set(after)
    for key in before {
      let final = layout.finalAttributes(of: key)
      if let key = named.deleted.contains(key) ? nil : plan.survivor(of: key), wanted.contains(key), !named.inserted.contains(key) {
        continue
      }
      leaving.append((key, final))
    }
    let gone = Set(leaving.map(\.key))
    for key in before where !gone.contains(key) {
      if let survivor = plan.survivor(of: key) { kept[survivor] = old[key] }
    }
    visible = kept
    let initial = Dictionary(uniqueKeysWithValues: after.map { ($0, layout.initialAttributes(of: $0)) })
    for (key, final) in leaving {
      guard let view = old[key]?.view else { continue }
      if let final, final.frame.isFinite { view.take(final) }
      retire(view, of: key)
    }
    for attributes in elements {
      if visible[attributes.element] == nil, let start = initial[attributes.element] ?? nil, start.frame.isFinite,
        start.element == attributes.element
      {
        show(start)
      }
      show(attributes)
    }
    arrange(elements)
  }

  /// The supplementary and decoration views that the layout itself deletes and inserts, of the kinds on show.
  private func namedElements(_ shown: Set<ElementKey>) -> (deleted: Set<ElementKey>, inserted: Set<ElementKey>) {
    let layout = currentLayout
    let kinds = { (category: ElementCategory) in Set(shown.filter { $0.category == category }.compactMap(\.kind)).sorted() }
    var deleted: Set<ElementKey> = []
    var inserted: Set<ElementKey> = []
    for kind in kinds(.supplementaryView) {
      deleted.formUnion(layout.indexPathsToDeleteForSupplementaryView(ofKind: kind).map { .supplementary(kind, $0) })
      inserted.formUnion(layout.indexPathsToInsertForSupplementaryView(ofKind: kind).map { .supplementary(kind, $0) })
    }
    for kind in kinds(.decorationView) {
      deleted.formUnion(layout.indexPathsToDeleteForDecorationView(ofKind: kind).map { .decoration(kind, $0) })
      inserted.formUnion(layout.indexPathsToInsertForDecorationView(ofKind: kind).map { .decoration(kind, $0) })
    }
    return (deleted, inserted)
  }
}

extension UICollectionViewLayout {
  /// The attributes at which an element appears.
  fileprivate func initialAttributes(of key: ElementKey) -> UICollectionViewLayoutAttributes? {
    switch (key.category, key.kind) {
    case (.supplementaryView, let kind?): initialLayoutAttributesForAppearingSupplementaryElement(ofKind: kind, at: key.indexPath)
    case (.decorationView, let kind?): initialLayoutAttributesForAppearingDecorationElement(ofKind: kind, at: key.indexPath)
    case (.cell, _), (_, nil): initialLayoutAttributesForAppearingItem(at: key.indexPath)
    }
  }

  /// The attributes at which an element disappears.
  fileprivate func finalAttributes(of key: ElementKey) -> UICollectionViewLayoutAttributes? {
    switch (key.category, key.kind) {
    case (.supplementaryView, let kind?): finalLayoutAttributesForDisappearingSupplementaryElement(ofKind: kind, at: key.indexPath)
    case (.decorationView, let kind?): finalLayoutAttributesForDisappearingDecorationElement(ofKind: kind, at: key.indexPath)
    case (.cell, _), (_, nil): finalLayoutAttributesForDisappearingItem(at: key.indexPath)
    }
  }
}
