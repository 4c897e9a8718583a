import Dispatch
import Foundation
import LoadingModel
import ProcessMemory

/// Runs a command and shows its memory.
///
///     no option           map at the end
///     --after 2s          map after 2 s, or at the end if that comes first
///     --diff 2s           changes from 2 s after the start to the end
///     --diff FILE         changes from the file to the end (with --after: to that moment)
struct MemoryCommandRun {
  let words: [String]
  let report: MemoryReport
  let diff: MemoryReference?
  let after: MemoryTime?

  /// Runs the command.
  /// - Returns: The exit code: that of the command.
  func status() throws -> Int32 {
    // The file of `--diff` is read before the command runs, so that an error ends this program at once.
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
    // The interrupt and quit keys are for the command, whose end this process waits for.
    signal(SIGINT, SIG_IGN)
    signal(SIGQUIT, SIG_IGN)
    let command: TracedCommand
    do {
      command = try TracedCommand.start(words, searching: ProcessEnvironment.value("PATH"))
    } catch {
      Console(tellsErrors: true).line("urlload: \(Printable.text(error.text))")
      return error.shellStatus
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
      // With `--after`, the memory was shown at that moment already, unless the command ends before it.
      if after != nil, moment?.hasCome == true { return shown.value = true }
      shown.value = attempt { try show(MemoryReport.map(command.process), reference, title) }
    }
    moment?.end()
    if !shown.value, ending == .signal(SIGKILL) { Console(tellsErrors: true).line("urlload: the command was killed") }
    return ending.shellStatus
  }

  /// The time after the start at which the memory is read; nil for none.
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

  /// Runs `body`; writes a failure's message, which doesn't change the exit code of the command.
  /// - Returns: Always true.
  @discardableResult
  private func attempt(_ body: () throws -> Void) -> Bool {
    do { try body() } catch { Console(tellsErrors: true).tell(error as? ToolFailure ?? ToolFailure(error)) }
    return true
  }
}

/// Runs a closure once after a time, on a thread of its own, unless `end()` is called before. Thread-safe.
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
      // A second signal, because `end()` waits for one and is called twice: when the command is about to end, and when it has ended.
      finished.signal()
    }
  }

  /// Whether the time had passed before `end()` was called.
  var hasCome: Bool { came.value }

  /// Cancels the closure if it hasn't run; returns when it isn't running any more.
  func end() {
    ended.signal()
    finished.wait()
  }
}
