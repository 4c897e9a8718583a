import Foundation
import HeadlessDrawing

/// The position and appearance of an element of a collection view, as determined by a layout.
///
/// Subclasses that add properties override `copy(with:)` and `isEqual(_:)`, as with UIKit.
@preconcurrency @MainActor
open class UICollectionViewLayoutAttributes: NSObject, @MainActor NSCopying {
  /// The values of all properties. They aren't isolated to the main actor, because `isEqual(_:)`, which Foundation calls on any actor, reads them.
  final nonisolated(unsafe) private var values = Values()

  private struct Values: Equatable {
    var indexPath = IndexPath(indexes: [])
    var category = UICollectionView.ElementCategory.cell
    var kind: String?
    var geometry = ViewGeometry()
    var alpha: CGFloat = 1
    var zIndex = 0
    var isHidden = false
  }

  /// Attributes of a cell with an empty index path. Use one of the three initializers that take an index path.
  public override init() { super.init() }

  /// Attributes of a cell.
  public convenience init(forCellWith indexPath: IndexPath) {
    self.init()
    values.indexPath = indexPath
  }

  /// Attributes of a supplementary view.
  public convenience init(forSupplementaryViewOfKind elementKind: String, with indexPath: IndexPath) {
    self.init()
    values.indexPath = indexPath
    values.category = .supplementaryView
    values.kind = elementKind
  }

  /// Attributes of a decoration view.
  public convenience init(forDecorationViewOfKind decorationViewKind: String, with indexPath: IndexPath) {
    self.init()
    values.indexPath = indexPath
    values.category = .decorationView
    values.kind = decorationViewKind
  }

  /// Attributes of the class on which it is called, for an element.
  static func make(_ element: ElementKey) -> UICollectionViewLayoutAttributes {
    let made = make(instance: ())
    made.values.indexPath = element.indexPath
    made.values.category = element.category
    made.values.kind = element.kind
    return made
  }

  // MARK: - The element

  /// The index path of the element.
  open var indexPath: IndexPath {
    get { values.indexPath }
    set { values.indexPath = newValue }
  }

  /// Whether the element is a cell, a supplementary view or a decoration view.
  open var representedElementCategory: UICollectionView.ElementCategory { values.category }

  /// The kind of the supplementary or decoration view; nil for a cell.
  open var representedElementKind: String? { values.kind }

  // MARK: - Geometry

  /// The rectangle of the element in the collection view's coordinates. Setting it sets `center` and `size` too. With a transform other than the
  /// identity, it is the upright rectangle that encloses the element.
  open var frame: CGRect {
    get { values.geometry.frame }
    set { values.geometry.frame = newValue }
  }

  /// The center of the element in the collection view's coordinates. Setting it moves `frame`.
  open var center: CGPoint {
    get { values.geometry.center }
    set { values.geometry.center = newValue }
  }

  /// The size of the element. Setting it changes `frame` and `bounds`, with the same center.
  open var size: CGSize {
    get { values.geometry.bounds.size }
    set { values.geometry.bounds.size = newValue }
  }

  /// The rectangle of the element in its own coordinates. Setting its size also sets `size`.
  open var bounds: CGRect {
    get { values.geometry.bounds }
    set { values.geometry.bounds = newValue }
  }

  /// The transform of the element about its center.
  open var transform: CGAffineTransform {
    get { values.geometry.transform }
    set { values.geometry.transform = newValue }
  }

  // MARK: - Appearance

  /// The opacity, from 0 to 1.
  open var alpha: CGFloat {
    get { values.alpha }
    set { values.alpha = newValue }
  }

  /// The order from back to front: elements with a higher number are in front. The default is 0.
  open var zIndex: Int {
    get { values.zIndex }
    set { values.zIndex = newValue }
  }

  /// Whether the element is hidden.
  open var isHidden: Bool {
    get { values.isHidden }
    set { values.isHidden = newValue }
  }

  // MARK: - Copies

  /// A copy of the same class. Subclasses override it, and copy their own properties to the superclass's result.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(instance: ())
    copy.values = values
    return copy
  }

  /// A copy of these attributes; these attributes themselves if a subclass's `copy(with:)` returns another type.
  final func copied() -> UICollectionViewLayoutAttributes { copy(with: nil) as? UICollectionViewLayoutAttributes ?? self }

  /// Whether another object has the same class and equal values. A collection view doesn't apply attributes that are equal to those that it has
  /// already applied.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UICollectionViewLayoutAttributes else { return false }
    return other === self || (type(of: other) == type(of: self) && other.values == values)
  }

  /// A hash of the index path and the kind.
  nonisolated open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(values.indexPath)
    hasher.combine(values.kind)
    return hasher.finalize()
  }

  /// The frame, bounds, center and transform together, as a view takes them.
  final var geometry: ViewGeometry { values.geometry }

  /// The key of the element that the attributes describe.
  final var element: ElementKey { ElementKey(category: values.category, kind: values.kind, indexPath: values.indexPath) }
}
