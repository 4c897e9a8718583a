import Foundation

/// The classes that a collection view makes views of, and the views that wait for their next use.
@MainActor
final class ReusableViews {
  /// The registered classes.
  private var classes: [ReuseKind: AnyClass] = [:]
  /// The views for reuse, the last one used last.
  private var waiting: [ReuseKind: [UICollectionReusableView]] = [:]

  /// The attributes of the element that the data source is being asked for.
  var requested: UICollectionViewLayoutAttributes?

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

  /// A view of a kind with an identifier, with the attributes of its element if that is the one that the data source is being asked for.
  ///
  /// - Parameter empty: Makes a view where no class is registered that does.
  func view<View: UICollectionReusableView>(
    _ kind: ReuseKind, for element: ElementKey, as type: View.Type, empty: (CGRect) -> View
  ) -> View {
    let attributes = requested.flatMap { $0.element == element ? $0 : nil }
    let frame = attributes?.frame ?? .zero
    let view = dequeue(kind, frame: frame, as: type) ?? empty(frame)
    view.reuseIdentifier = kind.identifier
    if let attributes { view.take(attributes) }
    return view
  }

  /// Keeps a view for its next use; a view that wasn't dequeued isn't kept.
  func enqueue(_ view: UICollectionReusableView) {
    guard let kind = view.reuseKind else { return }
    waiting[kind, default: []].append(view)
  }
}

extension ReuseKind {
  /// What the app has named it by.
  fileprivate var identifier: String? {
    switch self {
    case .cell(let identifier), .supplementary(_, let identifier): identifier
    case .decoration: nil
    }
  }

  /// The kind in words, for a report.
  var description: String {
    switch self {
    case .cell(let identifier): "cells with the identifier \(identifier)"
    case .supplementary(let kind, let identifier): "supplementary views of kind \(kind) with the identifier \(identifier)"
    case .decoration(let kind): "decoration views of kind \(kind)"
    }
  }
}
