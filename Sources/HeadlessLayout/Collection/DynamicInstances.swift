import Foundation

// UIKit creates cells, attributes and contexts of classes that are only known at run time, by initializers that aren't `required` in Swift. If they
// were `required` here, subclasses written for UIKit (`override init(frame:)`) wouldn't compile. So each class has a convenience initializer that
// calls the dynamic class's designated one, and a static method with the same symbol. Static methods and initializers of classes have the same
// calling convention, but only a static method can be called on a class that is a value. A class that neither inherits nor overrides the designated
// initializer crashes the process, as with UIKit.

extension UICollectionReusableView {
  @usableFromInline @_silgen_name("headless_layout_make_reusable_view")
  convenience init(reusable frame: CGRect) { self.init(frame: frame) }

  /// Creates a view of the class on which it is called.
  @_silgen_name("headless_layout_make_reusable_view")
  static func make(reusable frame: CGRect) -> UICollectionReusableView
}

extension UICollectionViewLayoutAttributes {
  @usableFromInline @_silgen_name("headless_layout_make_attributes")
  convenience init(instance: Void) { self.init() }

  /// Creates attributes of the class on which it is called.
  @_silgen_name("headless_layout_make_attributes")
  static func make(instance: Void) -> UICollectionViewLayoutAttributes
}

extension UICollectionViewLayoutInvalidationContext {
  @usableFromInline @_silgen_name("headless_layout_make_context")
  convenience init(instance: Void) { self.init() }

  /// Creates an invalidation context of the class on which it is called.
  @_silgen_name("headless_layout_make_context")
  static func make(instance: Void) -> UICollectionViewLayoutInvalidationContext
}
