/// What an observation is told.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options as bits, Apple's numbers.
  public let rawValue: UInt

  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// Changes have their `newValue`.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// Changes have their `oldValue`.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The handler is called once with the value that is there, before `observe` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// The handler is called twice for each change: first with `isPrior` and without a new value.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}
