import Foundation

/// What a process has done so far, as the kernel counts it (proc_pid_stat(5)): two readings tell one that hangs from one that is busy.
package struct ProcessPulse: Equatable, Sendable {
  /// Whether one of its threads runs, wants to run, or waits for a disk.
  var isBusy = false
  /// Processor time of all its threads, in ticks of the system.
  var ticks: UInt64 = 0

  init(isBusy: Bool, ticks: UInt64) { (self.isBusy, self.ticks) = (isBusy, ticks) }

  /// nil if the daemon's process can't be seen from here. At the other end of a service manager's socket is the manager, which does nothing
  /// while the daemon works.
  package init?(ofDaemon process: pid_t) {
    let name = try? String(contentsOfFile: "/proc/\(process)/comm", encoding: .utf8)
    guard name?.trimmingCharacters(in: .newlines) == "urlsessiond" else { return nil }
    self.init(of: process)
  }

  /// nil if the process can't be seen from here.
  init?(of process: pid_t) {
    guard process > 0, let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") else { return nil }
    for thread in threads {
      guard let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8) else { continue }
      take(text)
    }
  }

  /// - Parameter text: The state follows the name, which may have parentheses itself; the two times are the 14th and the 15th field.
  private mutating func take(_ text: String) {
    guard let end = text.lastIndex(of: ")") else { return }
    let fields = text[end...].split(separator: " ").dropFirst()
    guard fields.count > 12 else { return }
    isBusy = isBusy || fields.first == "R" || fields.first == "D"
    for field in fields.dropFirst(11).prefix(2) { ticks &+= UInt64(field) ?? 0 }
  }
}
