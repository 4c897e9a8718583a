import Foundation

// UIKit makes cells, attributes and contexts of classes that it only knows at run time, by initializers that Swift doesn't know as
// `required`. If they were `required` here, the subclasses of a source made for UIKit (`override init(frame:)`) wouldn't compile. So each
// class has a convenience initializer, which calls the designated one of the class it is sent to, and a static method of the same symbol:
// a static method and an initializer of a class have one calling convention, and only the former may be sent to a class that is a value.
// A class that doesn't inherit or override the designated initializer ends the process, as it does with UIKit.

extension UICollectionReusableView {
  @usableFromInline @_silgen_name("headless_layout_make_reusable_view")
  convenience init(reusable frame: CGRect) { self.init(frame: frame) }

  /// A view of this class.
  @_silgen_name("headless_layout_make_reusable_view")
  static func make(reusable frame: CGRect) -> UICollectionReusableView
}

extension UICollectionViewLayoutAttributes {
  @usableFromInline @_silgen_name("headless_layout_make_attributes")
  convenience init(instance: Void) { self.init() }

  /// Attributes of this class.
  @_silgen_name("headless_layout_make_attributes")
  static func make(instance: Void) -> UICollectionViewLayoutAttributes
}

extension UICollectionViewLayoutInvalidationContext {
  @usableFromInline @_silgen_name("headless_layout_make_context")
  convenience init(instance: Void) { self.init() }

  /// A context of this class.
  @_silgen_name("headless_layout_make_context")
  static func make(instance: Void) -> UICollectionViewLayoutInvalidationContext
}
