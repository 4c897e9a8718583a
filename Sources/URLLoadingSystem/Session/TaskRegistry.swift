import CLoadingProcess
import Foundation
import LoadingModel

/// The tasks of a session that haven't completed, and how far the session itself is.
///
///     open -> closed -> finishing -> invalid
///
/// A session passes `closed` where it must say something elsewhere before it may become invalid.
///
/// Thread-safe; owned by the session.
final class TaskRegistry: Sendable {
  fileprivate enum Phase {
    case open
    /// It takes no new tasks, and doesn't become invalid yet.
    case closed
    case finishing
    case invalid
  }

  fileprivate struct State {
    var phase = Phase.open
    var nextIdentifier = 1
    var tasks: [URLSessionTask] = []
    /// Where tasks were made, by their identifiers, while that is noted.
    var places: [Int: CallPlace] = [:]
  }

  private let state = Mutex(State())

  /// The identifier for a new task.
  func nextIdentifier() -> Int {
    state.withLock { state in
      defer { state.nextIdentifier += 1 }
      return state.nextIdentifier
    }
  }

  /// Identifiers below `next` are those of tasks of earlier processes.
  func reserve(upTo next: Int) { state.withLock { $0.nextIdentifier = max($0.nextIdentifier, next) } }

  /// False if the session doesn't take tasks any more.
  func add(_ task: URLSessionTask) -> Bool {
    let place = HeldRecording.place
    return state.withLock { state in
      guard state.phase == .open else { return false }
      if let place { state.places[task.taskIdentifier] = place }
      task.place = state.tasks.count
      state.tasks.append(task)
      return true
    }
  }

  /// A task of an earlier process, or one that was refused and is about to end with that: also in a session that takes no new ones. False if
  /// the session is invalid, and its delegate told of that.
  func addLate(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard state.phase != .invalid else { return false }
      // A task that failed for other reasons is there already.
      if state.tasks.indices.contains(task.place), state.tasks[task.place] === task { return true }
      task.place = state.tasks.count
      state.tasks.append(task)
      return true
    }
  }

  /// No new tasks, while it isn't known which ones there are. The session doesn't become invalid before `finish`.
  func close() { state.withLock { if $0.phase == .open { $0.phase = .closed } } }

  /// `successor` continues the load of `task`, also in a session that takes no tasks any more.
  func replace(_ task: URLSessionTask, by successor: URLSessionTask) {
    state.withLock { state in
      guard state.tasks.indices.contains(task.place), state.tasks[task.place] === task else { return }
      state.tasks[task.place] = successor
      (successor.place, task.place) = (task.place, -1)
    }
  }

  /// True if this was the last task of a session that waits for its end.
  func remove(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      State.takeOut(task, of: &state)
      return State.becomesInvalid(&state)
    }
  }

  /// No new tasks. True if there is none left to wait for.
  func finish() -> Bool {
    state.withLock { state in
      if state.phase == .open || state.phase == .closed { state.phase = .finishing }
      return State.becomesInvalid(&state)
    }
  }

  /// Whether the last task of a session that takes no new ones has ended.
  var isInvalid: Bool { state.withLock { $0.phase == .invalid } }

  /// Whether new tasks may be added.
  var takesTasks: Bool { state.withLock { $0.phase == .open } }

  /// How many strong references there are to each task besides the registry's own.
  var references: [ObjectIdentifier: Int] {
    state.withLock { state in
      state.tasks.withUnsafeBytes { bytes in
        // By address: what takes a task out of the array refers to it meanwhile.
        let addresses = bytes.assumingMemoryBound(to: UInt.self).compactMap { UnsafeRawPointer(bitPattern: $0) }
        let counts = addresses.map { Int(uls_retain_count($0)) - 1 }
        return Dictionary(zip(state.tasks.map { ObjectIdentifier($0) }, counts)) { first, _ in first }
      }
    }
  }

  /// Where a task was made; nil if that wasn't noted.
  func place(of task: URLSessionTask) -> CallPlace? { state.withLock { $0.places[task.taskIdentifier] } }

  /// Those that were not told to end, in the order of their making: what an app is shown.
  var active: [URLSessionTask] { all.filter { $0.state == .running || $0.state == .suspended } }

  /// In the order of their making.
  var all: [URLSessionTask] {
    state.withLock { $0.tasks.sorted { $0.taskIdentifier < $1.taskIdentifier } }
  }
}

extension TaskRegistry.State {
  /// The last task takes its place: no search, no hashing.
  fileprivate static func takeOut(_ task: URLSessionTask, of state: inout TaskRegistry.State) {
    guard state.tasks.indices.contains(task.place), state.tasks[task.place] === task else { return }
    if !state.places.isEmpty { state.places[task.taskIdentifier] = nil }
    let last = state.tasks.removeLast()
    if last !== task {
      state.tasks[task.place] = last
      last.place = task.place
    }
  }

  fileprivate static func becomesInvalid(_ state: inout TaskRegistry.State) -> Bool {
    guard state.phase == .finishing, state.tasks.isEmpty else { return false }
    state.phase = .invalid
    return true
  }
}
