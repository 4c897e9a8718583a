import CLoadingProcess
import Foundation
import LoadingEngine
import LoadingModel

/// What loading holds, as a report: at the end of the process, where `URL_LOADING_SYSTEM_LEAKS` asks for it, and for the tool that asks by a
/// signal.
enum HeldReport {
  static let variable = "URL_LOADING_SYSTEM_LEAKS"

  /// A file, or "-" for standard error; nil if no report is wanted.
  static func destination(_ environment: [String: String]) -> String? {
    switch environment[variable] {
    case nil, "", "0", "off", "false", "no", "none": nil
    case "1", "on", "true", "yes", "stderr": "-"
    case let path?: path
    }
  }

  /// Has the reports ready, once: before the first session.
  static func prepare() { isPrepared }

  private static let isPrepared: Void = {
    guard !ProcessEnvironment.isPrivileged else { return }
    if destination(ProcessEnvironment.variables) != nil { atexit { HeldReport.writeAtExit() } }
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
    guard let destination = destination(ProcessEnvironment.variables) else { return }
    let name = ProcessInfo.processInfo.arguments.first?.split(separator: "/").last.map(String.init) ?? "process"
    let text = text(URLSession.heldObjects(), process: getpid(), name: name)
    let descriptor = destination == "-" ? STDERR_FILENO : open(destination, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else {
      let failure = "URLLoadingSystem: \(variable) names \(destination), which can't be written (\(String(cString: strerror(errno))))\n"
      return FileHandle.standardError.write(Data(failure.utf8))
    }
    HeldDoor.writeAll(Data(text.utf8), to: descriptor)
    if descriptor != STDERR_FILENO { close(descriptor) }
  }
}
