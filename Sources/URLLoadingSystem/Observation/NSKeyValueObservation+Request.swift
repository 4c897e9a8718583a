import Foundation

extension NSKeyValueObservation {
  /// The arguments of a call of `observe(_:options:changeHandler:)`. It has no members for apps.
  public struct Request<Object: NSObject & Sendable, Value> {
    let object: Object
    let keyPath: KeyPath<Object, Value>
    let options: NSKeyValueObservingOptions
    let handler: @Sendable (Object, NSKeyValueObservedChange<Value>) -> Void

    /// Makes an observer of `property`, which is the one at the request's key path; nil if their values have different types.
    func observer<Values>(of property: ObservedProperty<Values>) -> PropertyObserver<Values>? {
      guard let found = property.path as? KeyPath<Values, Value> else { return nil }
      // Safe: the key path is a literal without captured values, which is immutable.
      nonisolated(unsafe) let path = found
      let (object, options, handler) = (object, options, handler)
      return PropertyObserver(property, tellsPrior: options.contains(.prior)) { [weak object, options, handler] moment in
        guard let object else { return }
        switch moment {
        case .initial(let values):
          handler(object, NSKeyValueObservedChange(newValue: options.contains(.new) ? values[keyPath: path] : nil))
        case .prior(let old):
          handler(object, NSKeyValueObservedChange(oldValue: options.contains(.old) ? old[keyPath: path] : nil, isPrior: true))
        case .change(let old, let new):
          handler(
            object,
            NSKeyValueObservedChange(
              newValue: options.contains(.new) ? new[keyPath: path] : nil, oldValue: options.contains(.old) ? old[keyPath: path] : nil))
        }
      }
    }

    /// Makes the initial call, if the options ask for it, for a property whose changes can't be told.
    func tellCurrentValue() {
      guard options.contains(.initial) else { return }
      handler(object, NSKeyValueObservedChange(newValue: options.contains(.new) ? object[keyPath: keyPath] : nil))
    }
  }
}
