import Foundation

/// One change of an observed property, as the handler of `observe(_:options:changeHandler:)` is told it.
///
/// Where `Value` is optional, a property that was or becomes nil has a value that is `.some(nil)`; nil alone means that the options didn't
/// ask for it.
public struct NSKeyValueObservedChange<Value> {
  /// How the property has changed.
  public typealias Kind = NSKeyValueChange

  /// How the property has changed: always `.setting` here.
  public let kind: Kind
  /// The value after the change, with the option `.new`; nil in a prior call.
  public let newValue: Value?
  /// The value before the change, with the option `.old`; nil in the initial call.
  public let oldValue: Value?
  /// Which objects of a collection have changed: always nil here.
  public let indexes: IndexSet?
  /// Whether it is the first of two calls for one change, with the option `.prior`.
  public let isPrior: Bool

  init(newValue: Value? = nil, oldValue: Value? = nil, isPrior: Bool = false) {
    kind = .setting
    self.newValue = newValue
    self.oldValue = oldValue
    indexes = nil
    self.isPrior = isPrior
  }
}

extension NSKeyValueObservedChange: Sendable where Value: Sendable {}
