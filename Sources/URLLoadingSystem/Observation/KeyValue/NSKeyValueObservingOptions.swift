/// Which values an observation's handler gets, and when it is called.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The options as bits, with Apple's numbers.
  public let rawValue: UInt

  /// Options from their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The handler gets the value after the change, `newValue`.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// The handler gets the value before the change, `oldValue`.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// The handler is called once with the present value, before `observe` returns.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
  /// The handler is called twice for each change: first with `isPrior`, for the old value, then as usual.
  public static let prior = NSKeyValueObservingOptions(rawValue: 8)
}
