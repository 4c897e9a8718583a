import Foundation

extension NSCoder {
  /// Decodes the object of a class of this module under `key`; nil if there is none. swift-corelibs-foundation's method fails for a missing key, as
  /// for a damaged archive.
  func nested<Object: NSObject & NSSecureCoding>(_ type: Object.Type, _ key: String) -> Object? {
    containsValue(forKey: key) ? decodeObject(of: type, forKey: key) : nil
  }

  /// Decodes the `URLResponse` or `HTTPURLResponse` under `key`; nil if there is none.
  func nestedResponse(_ key: String) -> URLResponse? {
    guard containsValue(forKey: key) else { return nil }
    return decodeObject(of: [URLResponse.self, HTTPURLResponse.self], forKey: key) as? URLResponse
  }
}
