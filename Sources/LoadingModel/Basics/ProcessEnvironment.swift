import CLoadingProcess
import Foundation

/// The environment variables that this library may use: all its code reads variables here.
///
/// A process that runs with more rights than the user who started it (set-user-ID, file capabilities) has that user's environment. With those
/// rights a variable could run another program, trust another authority or write to other files; so no variable counts there.
package enum ProcessEnvironment {
  package static let isPrivileged = uls_process_is_privileged() != 0

  /// All variables; none in a privileged process.
  package static var variables: [String: String] { isPrivileged ? [:] : ProcessInfo.processInfo.environment }

  /// The value of one variable; nil if it isn't set, and in a privileged process.
  package static func value(_ name: String) -> String? { isPrivileged ? nil : getenv(name).map { String(cString: $0) } }

  /// Whether a variable's value turns its feature off; a variable that isn't set does, too.
  package static func isOff(_ value: String?) -> Bool {
    ["", "0", "off", "false", "no", "none"].contains(value?.lowercased() ?? "")
  }

  /// The user's home folder; in a privileged process that of the effective user, as the user database names it.
  package static var home: URL {
    let path = isPrivileged ? listedHome ?? "/" : NSHomeDirectory()
    return URL(filePath: path, directoryHint: .isDirectory)
  }

  private static var listedHome: String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var texts = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(geteuid(), &entry, &texts, texts.count, &found) == 0, let folder = found?.pointee.pw_dir else { return nil }
    return String(cString: folder)
  }
}
