import Foundation
import LoadingModel

/// Reports on standard error, once for each key path, that an app observes a property which can't be observed.
enum UnobservableKeyPaths {
  /// The number of key paths that are remembered; beyond it nothing more is reported.
  private static let limit = 256
  private static let reported = Mutex<Set<String>>([])

  /// - Returns: Whether it was reported by this call.
  @discardableResult
  static func report(_ keyPath: AnyKeyPath) -> Bool {
    let description = "\(keyPath)"
    let isNew = reported.withLock { $0.count < limit && $0.insert(description).inserted }
    if isNew {
      // In a program without symbols, the description of a key path consists of addresses.
      let (root, value) = (type(of: keyPath).rootType, type(of: keyPath).valueType)
      let name = description.contains(" 0x") ? "the key path from \(root) to a value of type \(value)" : "\(description)"
      let message = "URLLoadingSystem: \(name) can't be observed: no change is told. Documentation/observation.md lists what can.\n"
      FileHandle.standardError.write(Data(message.utf8))
    }
    return isNew
  }
}
