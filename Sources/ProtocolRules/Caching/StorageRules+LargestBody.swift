extension StorageRules {
  /// The longest body in bytes that is stored: Apple stores no response "larger than about 5%" of the cache.
  package static func largestBody(capacity: Int64) -> Int64 { capacity / 20 }

  /// Why a body isn't stored because of its length; nil if it is.
  static func sizeRefusal(bodyLength: Int64?, capacity: Int64) -> StorageDecision.Reason? {
    if capacity <= 0 { return .noCapacity }
    return bodyLength ?? 0 > largestBody(capacity: capacity) ? .tooLarge : nil
  }
}
