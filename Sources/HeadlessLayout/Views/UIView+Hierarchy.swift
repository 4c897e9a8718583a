import Foundation

extension UIView {
  /// Adds a view in front of the other subviews, and takes it from the superview that it has.
  public func addSubview(_ view: UIView) { insert(view, at: subviews.count) }

  /// Adds a view with `index` subviews behind it; an index out of range counts as the nearest that isn't.
  public func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

  /// Adds a view in front of one of the subviews; in front of all if `sibling` isn't one.
  public func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
    let others = subviews.filter { $0 !== view }
    insert(view, at: others.firstIndex { $0 === sibling }.map { $0 + 1 } ?? others.count)
  }

  /// Adds a view behind one of the subviews; in front of all if `sibling` isn't one.
  public func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
    let others = subviews.filter { $0 !== view }
    insert(view, at: others.firstIndex { $0 === sibling } ?? others.count)
  }

  /// Moves a subview in front of the others.
  public func bringSubviewToFront(_ view: UIView) { reorder(view) { subviews, view in subviews.append(view) } }

  /// Moves a subview behind the others.
  public func sendSubviewToBack(_ view: UIView) { reorder(view) { subviews, view in subviews.insert(view, at: 0) } }

  /// Takes the view from its superview.
  public func removeFromSuperview() {
    guard let superview else { return }
    superview.willRemoveSubview(self)
    willMove(toSuperview: nil)
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    superview.setNeedsLayout()
    didMoveToSuperview()
  }

  /// Whether this view is `view` or lies somewhere inside it.
  public func isDescendant(of view: UIView) -> Bool {
    var current: UIView? = self
    while let candidate = current {
      if candidate === view { return true }
      current = candidate.superview
    }
    return false
  }

  /// The view with this tag: this one or the first of its descendants.
  public func viewWithTag(_ tag: Int) -> UIView? {
    if self.tag == tag { return self }
    for view in subviews {
      if let found = view.viewWithTag(tag) { return found }
    }
    return nil
  }

  private func insert(_ view: UIView, at index: Int) {
    guard !isDescendant(of: view) else {
      return report("a view can't be added to itself or to one of its subviews: nothing is changed")
    }
    if view.superview !== self {
      view.removeFromSuperview()
      view.willMove(toSuperview: self)
    }
    subviews.removeAll { $0 === view }
    subviews.insert(view, at: min(max(index, 0), subviews.count))
    guard view.superview !== self else { return setNeedsLayout() }
    view.superview = self
    setNeedsLayout()
    didAddSubview(view)
    view.didMoveToSuperview()
  }

  private func reorder(_ view: UIView, _ place: (inout [UIView], UIView) -> Void) {
    guard view.superview === self else { return }
    subviews.removeAll { $0 === view }
    place(&subviews, view)
  }
}
