import Foundation

/// The registered classes of a collection view, and its views that are waiting to be reused.
@MainActor
final class ReusableViews {
  /// The registered class for each kind of view.
  private var classes: [ReuseKind: AnyClass] = [:]
  /// The views waiting to be reused; the view that was used last is at the end.
  private var waiting: [ReuseKind: [UICollectionReusableView]] = [:]

  /// The attributes of the element whose view the data source is being asked for; nil otherwise.
  var requested: UICollectionViewLayoutAttributes?

  /// Registers a class for a kind of view; nil removes the registration. Waiting views of the earlier class aren't reused.
  func register(_ viewClass: AnyClass?, as kind: ReuseKind) {
    classes[kind] = viewClass
    waiting[kind] = nil
  }

  /// A view of a kind: one that is waiting for reuse, or a new one of the registered class. Nil if no suitable class is registered, which is reported
  /// on standard error.
  ///
  /// - Parameters:
  ///   - registered: The class to use instead of one registered here; nil for the registered one.
  ///   - type: The class that the view must be an instance of.
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

  /// A view of a kind that has an identifier. If the data source is being asked for `element`, the view gets the element's attributes.
  ///
  /// - Parameter empty: Creates a view with this frame if no suitable class is registered.
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

  /// Keeps a view for reuse, if it was dequeued.
  func enqueue(_ view: UICollectionReusableView) {
    guard let kind = view.reuseKind else { return }
    waiting[kind, default: []].append(view)
  }
}

extension ReuseKind {
  /// The reuse identifier that the app has registered; nil for decoration views.
  fileprivate var identifier: String? {
    switch self {
    case .cell(let identifier), .supplementary(_, let identifier): identifier
    case .decoration: nil
    }
  }

  /// The kind as words for a report.
  var description: String {
    switch self {
    case .cell(let identifier): "cells with the identifier \(identifier)"
    case .supplementary(let kind, let identifier): "supplementary views of kind \(kind) with the identifier \(identifier)"
    case .decoration(let kind): "decoration views of kind \(kind)"
    }
  }
}
