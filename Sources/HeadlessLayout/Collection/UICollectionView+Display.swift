import Foundation
import HeadlessDrawing

extension UICollectionView {
  /// Shows the elements within the bounds. If cells prefer other attributes and thereby invalidate the layout, it is asked again, up to 16 times.
  func showElements() {
    guard activity == .none else { return }
    for _ in 0..<16 {
      prepareLayoutIfNeeded()
      activity = .displaying
      let again = showOnce()
      activity = .none
      guard again || knowledge != .layout else { return }
    }
  }

  /// Asks the layout for the elements within the bounds, hides the views of others, and shows these.
  ///
  /// - Returns: Whether the preferred attributes of an element have invalidated the layout.
  private func showOnce() -> Bool {
    let elements = elementsInBounds()
    let wanted = Set(elements.map(\.element))
    for key in visible.keys.filter({ !wanted.contains($0) }).sorted(by: ElementKey.precedes) { hide(key) }
    var invalidated = false
    for attributes in elements where show(attributes) && prefersOthers(attributes) { invalidated = true }
    arrange(elements)
    return invalidated
  }

  /// The layout's attributes of the elements within the bounds, each element once. Elements without an item in the data source, or with coordinates
  /// that aren't finite, are left out and reported on standard error.
  func elementsInBounds() -> [UICollectionViewLayoutAttributes] {
    guard bounds.isFinite else { return [] }
    var seen: Set<ElementKey> = []
    return (currentLayout.layoutAttributesForElements(in: bounds) ?? []).filter { attributes in
      guard attributes.frame.isFinite, attributes.center.isFinite else {
        report("the layout places \(attributes.element.description) at \(attributes.frame): it isn't shown")
        return false
      }
      guard attributes.representedElementCategory != .cell || counts.contains(attributes.indexPath) else {
        report("the layout has attributes of \(attributes.element.description), which the data source doesn't have: it isn't shown")
        return false
      }
      return attributes.frame.overlaps(bounds) && seen.insert(attributes.element).inserted
    }
  }

  /// Shows an element with these attributes.
  ///
  /// - Returns: Whether the attributes differ from those that were already shown.
  @discardableResult
  func show(_ attributes: UICollectionViewLayoutAttributes) -> Bool {
    let key = attributes.element
    if let shown = visible[key] {
      guard !shown.attributes.isEqual(attributes) else { return false }
      visible[key]?.attributes = attributes.copied()
      shown.view.take(attributes)
      return true
    }
    let view = makeView(attributes)
    view.take(attributes)
    visible[key] = Visible(view: view, attributes: attributes.copied())
    addSubview(view)
    delegate?.tell(self, willDisplay: view, of: key)
    return true
  }

  /// Asks the view of an element for its preferred attributes, and invalidates the layout if the layout wants that. Returns whether it did.
  private func prefersOthers(_ attributes: UICollectionViewLayoutAttributes) -> Bool {
    guard let view = visible[attributes.element]?.view else { return false }
    let preferred = view.preferredLayoutAttributesFitting(attributes.copied())
    guard !preferred.isEqual(attributes),
      currentLayout.shouldInvalidateLayout(forPreferredLayoutAttributes: preferred, withOriginalAttributes: attributes)
    else { return false }
    let context = currentLayout.invalidationContext(forPreferredLayoutAttributes: preferred, withOriginalAttributes: attributes)
    currentLayout.invalidateLayout(with: context)
    return true
  }

  /// Hides an element and keeps its view for reuse.
  func hide(_ key: ElementKey) {
    guard let shown = visible.removeValue(forKey: key) else { return }
    retire(shown.view, of: key)
  }

  /// Removes a view that was shown for an element, keeps it for reuse, and tells the delegate.
  func retire(_ view: UICollectionReusableView, of key: ElementKey) {
    view.removeFromSuperview()
    reuse.enqueue(view)
    delegate?.tell(self, didEndDisplaying: view, of: key)
  }

  /// Orders the views of elements from back to front: by `zIndex`, and by the layout's order if that is equal.
  func arrange(_ elements: [UICollectionViewLayoutAttributes]) {
    let ordered = elements.enumerated().sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
    var managed: Set<ObjectIdentifier> = []
    // Ignores a view that the data source has returned twice, or that couldn't be added as a subview.
    let views = ordered.compactMap { visible[$0.element.element]?.view }.filter {
      $0.superview === self && managed.insert(ObjectIdentifier($0)).inserted
    }
    // Other subviews of the app stay in front of the cells, unless they are behind all of them.
    let behind = Array(subviews.prefix { !managed.contains(ObjectIdentifier($0)) })
    let others = subviews.dropFirst(behind.count).filter { !managed.contains(ObjectIdentifier($0)) }
    subviews = behind + views + others
  }
}
