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
    let name = "\(keyPath)"
    let isNew = reported.withLock { $0.count < limit && $0.insert(name).inserted }
    if isNew {
      let message = "URLLoadingSystem: \(name) can't be observed: no change of it is told. Documentation/observation.md lists what can.\n"
      FileHandle.standardError.write(Data(message.utf8))
    }
    return isNew
  }
}
