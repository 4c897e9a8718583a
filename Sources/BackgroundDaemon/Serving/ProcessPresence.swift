import Foundation
import LoadingModel

/// Whether a process runs, by its identifier.
enum ProcessPresence {
  /// A zombie counts as ended. A process that can't be seen, such as in another process namespace, counts as running.
  static func isAlive(_ process: pid_t) -> Bool {
    guard process > 0 else { return true }
    if kill(process, 0) != 0 { return errno != ESRCH }
    guard let text = SystemFile.text("/proc/\(process)/stat"), let end = text.lastIndex(of: ")") else {
      return true
    }
    // proc_pid_stat(5): the state follows the name, which is in parentheses and may contain parentheses.
    return !["Z", "X"].contains(text[end...].dropFirst(2).prefix(1))
  }
}
