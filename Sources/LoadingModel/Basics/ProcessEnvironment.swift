import CLoadingProcess
import Foundation

/// The environment's variables as this library may use them: whatever reads a variable reads it here.
///
/// A process that runs with more rights than the one that has started it (set-user-ID, file capabilities) has that one's environment. A
/// variable could have it run another program, trust another authority or write to other files with those rights: it has none here.
package enum ProcessEnvironment {
  package static let isPrivileged = uls_process_is_privileged() != 0

  /// All of them; none in a privileged process.
  package static var variables: [String: String] { isPrivileged ? [:] : ProcessInfo.processInfo.environment }

  /// The value of one variable; nil if it isn't set or doesn't count.
  package static func value(_ name: String) -> String? { isPrivileged ? nil : getenv(name).map { String(cString: $0) } }

  /// Whether a variable's value turns off what it is for: one that isn't set does so as well.
  package static func isOff(_ value: String?) -> Bool {
    ["", "0", "off", "false", "no", "none"].contains(value?.lowercased() ?? "")
  }

  /// The user's home folder: in a privileged process that of the user whose rights it has, as the list of users names it.
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
