import Foundation

extension UIView {
  /// Adds a view in front of the other subviews, after removing it from its previous superview.
  public func addSubview(_ view: UIView) { insert(view, at: subviews.count) }

  /// Adds a view as the subview at `index`, counted from the back; an index out of range is limited to the range.
  public func insertSubview(_ view: UIView, at index: Int) { insert(view, at: index) }

  /// Adds a view directly in front of a subview; in front of all subviews if `sibling` isn't one.
  public func insertSubview(_ view: UIView, aboveSubview sibling: UIView) {
    let others = subviews.filter { $0 !== view }
    insert(view, at: others.firstIndex { $0 === sibling }.map { $0 + 1 } ?? others.count)
  }

  /// Adds a view directly behind a subview; in front of all subviews if `sibling` isn't one.
  public func insertSubview(_ view: UIView, belowSubview sibling: UIView) {
    let others = subviews.filter { $0 !== view }
    insert(view, at: others.firstIndex { $0 === sibling } ?? others.count)
  }

  /// Moves a subview in front of the others.
  public func bringSubviewToFront(_ view: UIView) { reorder(view) { subviews, view in subviews.append(view) } }

  /// Moves a subview behind the others.
  public func sendSubviewToBack(_ view: UIView) { reorder(view) { subviews, view in subviews.insert(view, at: 0) } }

  /// Removes the view from its superview.
  public func removeFromSuperview() {
    guard let superview else { return }
    superview.willRemoveSubview(self)
    willMove(toSuperview: nil)
    superview.subviews.removeAll { $0 === self }
    self.superview = nil
    superview.setNeedsLayout()
    didMoveToSuperview()
  }

  /// Whether this view is `view` or a descendant of it.
  public func isDescendant(of view: UIView) -> Bool {
    var current: UIView? = self
    while let candidate = current {
      if candidate === view { return true }
      current = candidate.superview
    }
    return false
  }

  /// This view or its first descendant with this tag; nil if there is none.
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
