/// How an observed property has changed. Properties of this package's classes hold one value each: they only ever report `.setting`.
public enum NSKeyValueChange: UInt, Sendable {
  /// The value was replaced by another.
  case setting = 1
  /// Objects were inserted into a collection.
  case insertion = 2
  /// Objects were removed from a collection.
  case removal = 3
  /// Objects of a collection were replaced.
  case replacement = 4
}
