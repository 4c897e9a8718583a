import Foundation
import HeadlessDrawing

/// Where an element of a collection view lies and how it looks, as a layout tells it.
///
/// Subclasses add properties; they override `copy(with:)` and `isEqual(_:)` as with UIKit.
@preconcurrency @MainActor
open class UICollectionViewLayoutAttributes: NSObject, @MainActor NSCopying {
  /// What the attributes say: kept outside the actor's protection since `isEqual(_:)`, which Foundation doesn't isolate, reads it.
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

  /// Attributes of a cell without an index path. Use one of the three initializers that name an element.
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

  /// Attributes of this class for an element.
  static func make(_ element: ElementKey) -> UICollectionViewLayoutAttributes {
    let made = make(instance: ())
    made.values.indexPath = element.indexPath
    made.values.category = element.category
    made.values.kind = element.kind
    return made
  }

  // MARK: - The element

  /// The path of the element.
  open var indexPath: IndexPath {
    get { values.indexPath }
    set { values.indexPath = newValue }
  }

  /// Whether the element is a cell, a supplementary view or a decoration view.
  open var representedElementCategory: UICollectionView.ElementCategory { values.category }

  /// The kind of the supplementary or decoration view; nil for a cell.
  open var representedElementKind: String? { values.kind }

  // MARK: - Geometry

  /// The rectangle of the element in the collection view's coordinates. Setting it sets `center` and `size` as well; its value isn't
  /// to be relied on where the transform isn't the identity: there it is the upright rectangle around the element.
  open var frame: CGRect {
    get { values.geometry.frame }
    set { values.geometry.frame = newValue }
  }

  /// The middle of the element. Setting it moves `frame`.
  open var center: CGPoint {
    get { values.geometry.center }
    set { values.geometry.center = newValue }
  }

  /// The size of the element. Setting it changes `frame` and `bounds` about the center.
  open var size: CGSize {
    get { values.geometry.bounds.size }
    set { values.geometry.bounds.size = newValue }
  }

  /// The rectangle of the element in its own coordinates. Setting its size sets `size`.
  open var bounds: CGRect {
    get { values.geometry.bounds }
    set { values.geometry.bounds = newValue }
  }

  /// The transform about the center.
  open var transform: CGAffineTransform {
    get { values.geometry.transform }
    set { values.geometry.transform = newValue }
  }

  // MARK: - Look

  /// The opacity, from 0 to 1.
  open var alpha: CGFloat {
    get { values.alpha }
    set { values.alpha = newValue }
  }

  /// The place from back to front: elements with a higher number lie in front. 0 by default.
  open var zIndex: Int {
    get { values.zIndex }
    set { values.zIndex = newValue }
  }

  /// Whether the element isn't drawn.
  open var isHidden: Bool {
    get { values.isHidden }
    set { values.isHidden = newValue }
  }

  // MARK: - Copies

  /// A copy of the same class. Subclasses copy their own properties into what the superclass returns.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = Self.make(instance: ())
    copy.values = values
    return copy
  }

  /// A copy of these attributes, or these themselves where a subclass copies to something else.
  final func copied() -> UICollectionViewLayoutAttributes { copy(with: nil) as? UICollectionViewLayoutAttributes ?? self }

  /// Whether another object is of the same class and says the same. A collection view doesn't apply attributes that equal those it has
  /// applied.
  nonisolated open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UICollectionViewLayoutAttributes else { return false }
    return other === self || (type(of: other) == type(of: self) && other.values == values)
  }

  /// A hash of the path and the kind.
  nonisolated open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(values.indexPath)
    hasher.combine(values.kind)
    return hasher.finalize()
  }

  /// The geometry as a whole, for the view that gets it.
  final var geometry: ViewGeometry { values.geometry }

  /// The element that the attributes are about.
  final var element: ElementKey { ElementKey(category: values.category, kind: values.kind, indexPath: values.indexPath) }
}
