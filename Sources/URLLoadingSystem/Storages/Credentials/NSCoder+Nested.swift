import Foundation

extension NSCoder {
  /// The object of one of this module's classes under `key`; nil if there is none. The toolchain's accessor treats a missing key as a
  /// damaged archive.
  func nested<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ key: String) -> Object? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// The response of any class under `key`; nil if there is none.
  func nestedResponse(_ key: String) -> URLResponse? {
    guard containsValue(forKey: key) else { return nil }
    return decodeObject(of: [URLResponse.self, HTTPURLResponse.self], forKey: key) as? URLResponse
  }
}
