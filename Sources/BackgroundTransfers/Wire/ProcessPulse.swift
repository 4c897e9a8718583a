import Foundation
import LoadingModel

/// What a process has done so far, as the kernel counts it (proc_pid_stat(5)): two readings tell whether the process hangs or works.
package struct ProcessPulse: Equatable, Sendable {
  /// Whether one of its threads runs or is runnable (R), or waits for a disk (D).
  var isBusy = false
  /// Processor time of all its threads, in clock ticks.
  var ticks: UInt64 = 0

  init(isBusy: Bool, ticks: UInt64) { (self.isBusy, self.ticks) = (isBusy, ticks) }

  /// nil if the process isn't named `urlsessiond` or can't be seen: the other end of a service manager's socket is the manager, which does nothing
  /// while the daemon works.
  package init?(ofDaemon process: pid_t) {
    let name = SystemFile.text("/proc/\(process)/comm")
    guard name?.trimmingCharacters(in: .newlines) == "urlsessiond" else { return nil }
    self.init(of: process)
  }

  /// nil if the process can't be seen from here.
  init?(of process: pid_t) {
    guard process > 0, let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task") else { return nil }
    for thread in threads {
      guard let text = SystemFile.text("/proc/\(process)/task/\(thread)/stat") else { continue }
      take(text)
    }
  }

  /// - Parameter text: /proc/…/stat: the state follows the name, which is in parentheses and may contain some; fields 14 and 15 are the times.
  private mutating func take(_ text: String) {
    guard let end = text.lastIndex(of: ")") else { return }
    let fields = text[end...].split(separator: " ").dropFirst()
    guard fields.count > 12 else { return }
    isBusy = isBusy || fields.first == "R" || fields.first == "D"
    for field in fields.dropFirst(11).prefix(2) { ticks &+= UInt64(field) ?? 0 }
  }
}
