import Foundation

/// Reading that survives archives which don't hold what they should: the toolchain's own accessors trap, or fail the whole archive,
/// for a missing key and for a class they don't expect.
extension NSCoder {
  /// A value was there, but of another type.
  struct MistypedValue: Error {}

  /// Classes without behaviour, which may therefore be unarchived and looked at afterwards.
  private static var inertClasses: [AnyClass] {
    [
      NSString.self, NSNumber.self, NSData.self, NSDate.self, NSURL.self, NSUUID.self, NSNull.self, NSArray.self, NSDictionary.self,
      NSSet.self,
    ]
  }

  /// The object under `key`; nil if there is none.
  func object<Object: NSObject>(_ type: Object.Type, _ key: String) throws(MistypedValue) -> Object? {
    guard containsValue(forKey: key), let value = decodeObject(of: Self.inertClasses, forKey: key) else { return nil }
    // Foundation hands some classes out in their Swift form; the cast bridges back.
    guard let object = value as? Object else { throw MistypedValue() }
    return object
  }

  /// The bytes under `key`; nil if there are none.
  func bytes(_ key: String) -> Data? {
    guard containsValue(forKey: key) else { return nil }
    return withDecodedUnsafeBufferPointer(forKey: key) { bytes in bytes.map { Data($0) } }
  }

  /// The dictionary of strings under `key`; nil if there is none.
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
