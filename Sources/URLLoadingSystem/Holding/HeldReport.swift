import CLoadingProcess
import Foundation
import LoadingEngine
import LoadingModel

/// What loading holds, as a report: at the end of the process, where `URL_LOADING_SYSTEM_LEAKS` asks for it, and for the tool that asks by a
/// signal.
enum HeldReport {
  /// Has the reports ready, once: before the first session.
  static func prepare() { isPrepared }

  private static let isPrepared: Void = {
    guard !ProcessEnvironment.isPrivileged else { return }
    if HeldRecording.destination != nil { atexit { HeldReport.writeAtExit() } }
    ReportSignal.begin { value in
      // It waits for delegate queues and for the tool: not on the event loop.
      DispatchQueue.global().async { HeldDoor.answer(value) }
    }
  }()

  /// A report for people.
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
    // A report that can't be written whole has no one left to tell.
    try? FileHandle(fileDescriptor: descriptor, closeOnDealloc: descriptor != STDERR_FILENO).write(contentsOf: Data(text.utf8))
  }
}

extension HeldRecording {
  /// Has the reports ready, once: before the first session.
  static func prepareReports() { HeldReport.prepare() }
}
