import Foundation
import LoadingModel

/// Converts `CachedURLResponse.userInfo` to bytes and back, so that it can be written to disk or an archive.
enum CachedUserInfo {
  /// The dictionary as a binary property list; nil if there is none, or if a key isn't a string or a value isn't a property-list value.
  static func archived(_ userInfo: [AnyHashable: Any]?) -> Data? {
    guard let userInfo else { return nil }
    var list: [String: Any] = [:]
    for (key, value) in userInfo {
      guard let key = key.base as? String, isPropertyList(value) else { return nil }
      list[key] = value
    }
    return try? PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  static func dictionary(_ archived: Data?) -> [AnyHashable: Any]? {
    guard let archived, BinaryPropertyList.isSound(archived) else { return nil }
    return (try? PropertyListSerialization.propertyList(from: archived, options: [], format: nil)) as? [String: Any]
  }

  private static func isPropertyList(_ value: Any) -> Bool {
    switch value {
    case is String, is NSNumber, is Int, is Double, is Bool, is Data, is Date: true
    case let array as [Any]: array.allSatisfy(isPropertyList)
    case let dictionary as [String: Any]: dictionary.values.allSatisfy(isPropertyList)
    default: false
    }
  }
}
