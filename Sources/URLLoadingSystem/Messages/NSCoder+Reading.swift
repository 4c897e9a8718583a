import Foundation

/// Decoding methods that tolerate malformed archives: the toolchain's own methods trap, or fail the whole archive, if a key is missing or an object
/// has an unexpected class.
extension NSCoder {
  /// An object of another class than expected was found under a key.
  struct MistypedValue: Error {}

  /// Value classes whose decoding runs no code of an app's, so that they can be unarchived before their type is checked.
  private static var inertClasses: [AnyClass] {
    [
      NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self, NSArray.self, NSDictionary.self,
      NSSet.self,
    ]
  }

  /// Decodes the object under `key`; nil if there is none.
  func object<Object: NSObject>(_ type: Object.Type, _ key: String) throws(MistypedValue) -> Object? {
    guard containsValue(forKey: key), let value = decodeObject(of: Self.inertClasses, forKey: key) else { return nil }
    // Foundation decodes some classes as Swift values; the cast bridges them back.
    guard let object = value as? Object else { throw MistypedValue() }
    return object
  }

  /// Decodes the bytes under `key`; nil if there are none.
  func bytes(_ key: String) -> Data? {
    guard containsValue(forKey: key) else { return nil }
    return withDecodedUnsafeBufferPointer(forKey: key) { bytes in bytes.map { Data($0) } }
  }

  /// Decodes the dictionary of strings under `key`; nil if there is none.
  func strings(_ key: String) throws(MistypedValue) -> [String: String]? {
    guard let stored = try object(NSDictionary.self, key) else { return nil }
    var result: [String: String] = [:]
    for (name, value) in stored {
      guard let name = name as? String, let value = value as? String else { throw MistypedValue() }
      result[name] = value
    }
    return result
  }
}
