import Foundation

/// Whether a process is there.
enum ProcessPresence {
  /// One that has ended and hasn't been waited for counts as gone. One that can't be seen, such as in another namespace, counts as there.
  static func isAlive(_ process: pid_t) -> Bool {
    guard process > 0 else { return true }
    if kill(process, 0) != 0 { return errno != ESRCH }
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8), let end = text.lastIndex(of: ")") else {
      return true
    }
    // proc_pid_stat(5): the state follows the name, which may have parentheses itself.
    return !["Z", "X"].contains(text[end...].dropFirst(2).prefix(1))
  }
}
