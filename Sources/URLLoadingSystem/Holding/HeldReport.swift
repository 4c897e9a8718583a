import CLoadingProcess
import Foundation
import LoadingEngine
import LoadingModel

/// Writes the report of the objects that loading holds: at exit, if `URL_LOADING_SYSTEM_LEAKS` asks for it, and for the tool that asks by a signal.
enum HeldReport {
  /// Installs the exit handler and the signal handler; done once, before the first session is made.
  static func prepare() { isPrepared }

  private static let isPrepared: Void = {
    guard !ProcessEnvironment.isPrivileged else { return }
    if HeldRecording.destination != nil { atexit { HeldReport.writeAtExit() } }
    ReportSignal.begin { value in
      // Off the event loop, as it waits for delegate queues and for the tool; on a thread of its own, as a process that is asked may have all of
      // Dispatch's blocked.
      Thread.detachNewThread { HeldDoor.answer(value) }
    }
  }()

  /// The report as text for people.
  static func text(_ held: [URLSession.HeldObject], process: Int32, name: String) -> String {
    let leaked = held.filter(\.isLeaked)
    let rest = held.filter { !$0.isLeaked }
    var text = "\(name) (process \(process)): \(count(leaked.count, "object", "is", "are")) leaked by loading"
    text += rest.isEmpty ? "\n" : ", \(count(rest.count, "more", "waits", "wait", plural: "more"))\n"
    for (number, object) in (leaked + rest).enumerated() {
      text += "\n\(number + 1). \(object.isLeaked ? "leaked" : "waits"): \(object)\n"
    }
    return text
  }

  private static func count(_ count: Int, _ noun: String, _ one: String, _ many: String, plural: String? = nil) -> String {
    "\(count) \(count == 1 ? noun : plural ?? noun + "s") \(count == 1 ? one : many)"
  }

  private static func writeAtExit() {
    guard let destination = HeldRecording.destination else { return }
    let name = ProcessInfo.processInfo.arguments.first?.split(separator: "/").last.map(String.init) ?? "process"
    let text = text(URLSession.heldObjects(), process: getpid(), name: name)
    let descriptor = destination == "-" ? STDERR_FILENO : open(destination, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let reason = String(cString: strerror(errno))
      return DiagnosticLines.toStandardError(
        "URLLoadingSystem: \(HeldRecording.variable) names \(destination), which can't be written (\(reason))\n")
    }
    // An error while writing is ignored: at exit there is nothing left to report it to.
    try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: descriptor != STDERR_FILENO).write(contentsOf: Data(text.utf8))
  }
}

extension HeldRecording {
  /// Installs the exit handler and the signal handler; done once, before the first session is made.
  static func prepareReports() { HeldReport.prepare() }
}
