import Foundation
import LoadingModel

/// Says on standard error, once for each, which key paths an app observes in vain.
enum UnobservableKeyPaths {
  /// More than an app has of them.
  private static let limit = 256
  private static let reported = Mutex<Set<String>>([])

  /// - Returns: Whether it was said now.
  @discardableResult
  static func report(_ keyPath: AnyKeyPath) -> Bool {
    let description = "\(keyPath)"
    let isNew = reported.withLock { $0.count < limit && $0.insert(description).inserted }
    if isNew {
      // Without symbols a description consists of addresses.
      let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
      let name = description.contains(" 0x") ? "the key path from \(root) to a value of type \(value)" : "\(description)"
      let message = "URLLoadingSystem: \(name) can't be observed: no change is told. Documentation/observation.md lists what can.\n"
      FileHandle.standardError.write(Data(message.utf8))
    }
    return isNew
  }
}
