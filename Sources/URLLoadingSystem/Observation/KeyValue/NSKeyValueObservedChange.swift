import Foundation

/// One change of an observed property, as it is passed to the handler of `observe(_:options:changeHandler:)`.
///
/// If `Value` is optional, the values of a property that was or becomes nil are `.some(nil)`; plain nil means that the options didn't ask for the
/// value.
public struct NSKeyValueObservedChange<Value> {
  /// How the property has changed.
  public typealias Kind = NSKeyValueChange

  /// How the property has changed: always `.setting` here.
  public let kind: Kind
  /// The value after the change, with the option `.new`; nil in a prior call.
  public let newValue: Value?
  /// The value before the change, with the option `.old`; nil in the initial call.
  public let oldValue: Value?
  /// The indexes of a collection's changed objects: always nil here.
  public let indexes: IndexSet?
  /// Whether this is the first of the two calls for one change that the option `.prior` asks for.
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
