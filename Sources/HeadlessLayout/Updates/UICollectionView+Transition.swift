import Foundation
import HeadlessDrawing

extension UICollectionView {
  /// Performs an update: compares the changes with the data source's counts, tells the layout, and changes the views.
  ///
  /// - Returns: False if the changes don't match the data source's counts, or the layout wasn't ready; everything is then loaded again.
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
    selection = Set(selection.compactMap(plan.item))
    knowledge = .layout
    layout.prepare()
    takeContentSize()
    layout.prepare(forCollectionViewUpdates: plan.updateItems)
    takeTargetOffset()
    change(to: elementsInBounds(), by: plan)
    layout.finalizeCollectionViewUpdates()
    needsLayout = knowledge != .layout
  }

  /// Replaces the visible elements by those in `elements`.
  private func change(to elements: [UICollectionViewLayoutAttributes], by plan: UpdatePlan) {
    let old = visible
    let transition = ElementTransition(from: Array(old.keys), to: elements, by: plan, in: currentLayout)
    visible = transition.staying.reduce(into: [:]) { $0[$1.new] = old[$1.old] }
    let initial = ElementTransition.initial(of: elements, in: currentLayout)
    for (key, final) in transition.leaving {
      guard let view = old[key]?.view else { continue }
      if let final, final.frame.isFinite { view.take(final) }
      retire(view, of: key)
    }
    for attributes in elements {
      if visible[attributes.element] == nil, let start = initial[attributes.element], start.frame.isFinite,
        start.element == attributes.element
      {
        show(start)
      }
      show(attributes)
    }
    arrange(elements)
  }
}
