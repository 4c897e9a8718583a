import Foundation
import HeadlessDrawing

/// Determines which visible elements leave and stay in an update. The layout is asked in the order that `performBatchUpdates(_:completion:)`
/// documents.
@MainActor
struct ElementTransition {
  /// The elements that leave, by their keys before the update, with the attributes with which they disappear.
  let leaving: [(key: ElementKey, final: UICollectionViewLayoutAttributes?)]
  /// The elements that stay, by their keys before and after the update.
  let staying: [(old: ElementKey, new: ElementKey)]

  init(
    from shown: [ElementKey], to elements: [UICollectionViewLayoutAttributes], by plan: UpdatePlan, in layout: UICollectionViewLayout
  ) {
    let before = shown.sorted(by: ElementKey.precedes)
    let wanted = Set(elements.map(\.element))
    let named = Self.named(wanted.union(before), by: layout)
    var leaving: [(key: ElementKey, final: UICollectionViewLayoutAttributes?)] = []
    var staying: [(old: ElementKey, new: ElementKey)] = []
    for key in before {
      let final = layout.finalAttributes(of: key)
      let survivor = plan.survivor(of: key)
      if let survivor, !named.deleted.contains(key), wanted.contains(survivor), !named.inserted.contains(survivor) {
        staying.append((key, survivor))
      } else {
        leaving.append((key, final))
      }
    }
    (self.leaving, self.staying) = (leaving, staying)
  }

  /// The attributes with which elements appear, by their keys after the update.
  static func initial(
    of elements: [UICollectionViewLayoutAttributes], in layout: UICollectionViewLayout
  ) -> [ElementKey: UICollectionViewLayoutAttributes] {
    elements.map(\.element).sorted(by: ElementKey.precedes).reduce(into: [:]) { $0[$1] = layout.initialAttributes(of: $1) }
  }

  /// The supplementary and decoration views of the visible kinds that the layout itself deletes and inserts in the update.
  private static func named(
    _ shown: Set<ElementKey>, by layout: UICollectionViewLayout
  ) -> (deleted: Set<ElementKey>, inserted: Set<ElementKey>) {
    let kinds = { (category: UICollectionView.ElementCategory) in Set(shown.filter { $0.category == category }.compactMap(\.kind)).sorted()
    }
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
  /// The attributes with which an element appears in an update; nil for its attributes after the update.
  fileprivate func initialAttributes(of key: ElementKey) -> UICollectionViewLayoutAttributes? {
    switch (key.category, key.kind) {
    case (.supplementaryView, let kind?): initialLayoutAttributesForAppearingSupplementaryElement(ofKind: kind, at: key.indexPath)
    case (.decorationView, let kind?): initialLayoutAttributesForAppearingDecorationElement(ofKind: kind, at: key.indexPath)
    case (.cell, _), (_, nil): initialLayoutAttributesForAppearingItem(at: key.indexPath)
    }
  }

  /// The attributes with which an element disappears in an update; nil for its current attributes.
  fileprivate func finalAttributes(of key: ElementKey) -> UICollectionViewLayoutAttributes? {
    switch (key.category, key.kind) {
    case (.supplementaryView, let kind?): finalLayoutAttributesForDisappearingSupplementaryElement(ofKind: kind, at: key.indexPath)
    case (.decorationView, let kind?): finalLayoutAttributesForDisappearingDecorationElement(ofKind: kind, at: key.indexPath)
    case (.cell, _), (_, nil): finalLayoutAttributesForDisappearingItem(at: key.indexPath)
    }
  }
}
