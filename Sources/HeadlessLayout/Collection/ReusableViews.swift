import Foundation

/// The classes that a collection view makes views of, and the views that wait for their next use.
@MainActor
final class ReusableViews {
  /// The registered classes.
  private var classes: [ReuseKind: AnyClass] = [:]
  /// The views for reuse, the last one used last.
  private var waiting: [ReuseKind: [UICollectionReusableView]] = [:]

  /// Registers a class; nil takes it out. Views of the class before it aren't used again.
  func register(_ viewClass: AnyClass?, as kind: ReuseKind) {
    classes[kind] = viewClass
    waiting[kind] = nil
  }

  /// A view of a kind: one that waits for reuse, or a new one of the registered class; nil where no class is registered that makes such
  /// views, which is reported.
  ///
  /// - Parameters:
  ///   - registered: The class, where it isn't registered here.
  ///   - type: The class that the view has to be of.
  func dequeue<View: UICollectionReusableView>(
    _ kind: ReuseKind, registered: AnyClass? = nil, frame: CGRect, as type: View.Type
  ) -> View? {
    if let view = waiting[kind]?.popLast() as? View {
      view.prepareForReuse()
      return view
    }
    guard let known = (registered ?? classes[kind]) as? View.Type, let view = known.make(reusable: frame) as? View else {
      report("no class of \(type) is registered for \(kind.description): an empty view is shown")
      return nil
    }
    view.reuseKind = kind
    return view
  }

  /// Keeps a view for its next use; a view that wasn't dequeued isn't kept.
  func enqueue(_ view: UICollectionReusableView) {
    guard let kind = view.reuseKind else { return }
    waiting[kind, default: []].append(view)
  }
}

extension ReuseKind {
  /// The kind in words, for a report.
  var description: String {
    switch self {
    case .cell(let identifier): "cells with the identifier \(identifier)"
    case .supplementary(let kind, let identifier): "supplementary views of kind \(kind) with the identifier \(identifier)"
    case .decoration(let kind): "decoration views of kind \(kind)"
    }
  }
}
