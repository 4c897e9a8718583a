import Dispatch
import Foundation
import LoadingModel
import ProcessMemory

/// A command that is run to have its memory shown.
///
///     nothing said        map at the end
///     --after 2s          map after 2 s, or at the end if that comes first
///     --diff 2s           changes from 2 s after the start to the end
///     --diff FILE         changes from the file to the end (with --after: to that moment)
struct MemoryCommandRun {
  let words: [String]
  let report: MemoryReport
  let diff: MemoryReference?
  let after: MemoryTime?

  /// Runs the command.
  /// - Returns: How this program is to end: with the command's own status.
  func status() throws -> Int32 {
    // What can fail by itself does so before the command runs.
    let reference = Locked<[KindSum]?>(nil)
    var title = "Changes until its end"
    if case .file(let path) = diff {
      do {
        reference.value = try MemoryReport.document(path).sums
      } catch {
        Console(tellsErrors: true).tell(error)
        return error.status.rawValue
      }
      title = "Changes since \(path)"
    }
    // The terminal's keys reach the command, whose end is waited for.
    signal(SIGINT, SIG_IGN)
    signal(SIGQUIT, SIG_IGN)
    let command: TracedCommand
    do {
      command = try TracedCommand.start(words, searching: ProcessEnvironment.value("PATH"))
    } catch {
      Console(tellsErrors: true).line("urlload: \(Printable.text(MemoryFailure.text(error)))")
      return MemoryFailure.status(error)
    }
    return wait(command, reference: reference, title: "\(title): process \(command.process)")
  }

  private func wait(_ command: TracedCommand, reference: Locked<[KindSum]?>, title: String) -> Int32 {
    let moment = moment.map { time in
      MemoryMoment(after: time.seconds) { [self] in attempt { try atMoment(command.process, reference, title) } }
    }
    let shown = Locked(false)
    let ending = command.waitForEnd { [self] in
      moment?.end()
      // The moment has shown all that was asked for, unless it never came.
      if after != nil, moment?.hasCome == true { return shown.value = true }
      shown.value = attempt { try show(MemoryReport.map(command.process), reference, title) }
    }
    moment?.end()
    if !shown.value, ending == .signal(SIGKILL) { Console(tellsErrors: true).line("urlload: the command was killed") }
    return ending.shellStatus
  }

  /// After how much time something is due while the command runs.
  private var moment: MemoryTime? {
    if case .time(let time) = diff { time } else { after }
  }

  private func atMoment(_ process: Int32, _ reference: Locked<[KindSum]?>, _ title: String) throws(ToolFailure) {
    let map = try MemoryReport.map(process)
    if case .time = diff { reference.value = map.sums } else { try show(map, reference, title) }
  }

  private func show(_ map: MemoryMap, _ reference: Locked<[KindSum]?>, _ title: String) throws(ToolFailure) {
    guard let before = reference.value else {
      guard diff == nil else { throw ToolFailure(.other, "the command ended before the first moment of --diff; give a shorter time") }
      return try report.write(map)
    }
    try report.write(MemoryChange(from: before, to: map.sums), title: title)
  }

  /// Tells a failure, which doesn't change the status that the command hands on.
  /// - Returns: True.
  @discardableResult
  private func attempt(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { Console(tellsErrors: true).tell(error as? ToolFailure ?? ToolFailure(error)) }
    return true
  }
}

/// Something that is done once after a time, on a thread of its own, unless it has been ended before. Thread-safe.
final class MemoryMoment: Sendable {
  private let ended = DispatchSemaphore(value: 0)
  private let finished = DispatchSemaphore(value: 0)
  private let came = Locked(false)

  init(after seconds: Double, _ body: @escaping @Sendable () -> Void) {
    Thread.detachNewThread { [self] in
      if ended.wait(timeout: .now() + seconds) == .timedOut {
        came.value = true
        body()
      }
      finished.signal()
      // `end()` waits for it, and is called twice: as the command is about to end, which may never be told, and when it has ended.
      finished.signal()
    }
  }

  /// Whether the time had passed before the end.
  var hasCome: Bool { came.value }

  /// Ends it; returns when `body` isn't running any more.
  func end() {
    ended.signal()
    finished.wait()
  }
}
