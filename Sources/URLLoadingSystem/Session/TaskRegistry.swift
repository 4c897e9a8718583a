import CLoadingProcess
import Foundation
import LoadingModel

/// The tasks of a session that haven't completed, and the session's own phase:
///
///     open -> closed -> finishing -> invalid
///
/// Only a background session passes `closed`: it must tell the daemon of its end before it may become invalid.
///
/// Thread-safe; owned by the session.
final class TaskRegistry: Sendable {
  fileprivate enum Phase {
    case open
    /// The session takes no new tasks, and can't become invalid yet: the daemon hasn't been told.
    case closed
    case finishing
    case invalid
  }

  fileprivate struct State {
    var phase = Phase.open
    var nextIdentifier = 1
    var tasks: [URLSessionTask] = []
    /// The call stacks at which tasks were made, by task identifier; filled while the recording of held objects is on.
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

  /// Reserves the identifiers below `next`, which tasks of earlier processes have.
  func reserve(upTo next: Int) { state.withLock { $0.nextIdentifier = max($0.nextIdentifier, next) } }

  /// Adds a new task; false if the session has been invalidated and takes no more tasks.
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

  /// Adds a task of an earlier process, or a refused one that is about to fail, even if the session takes no new tasks. False if the session has
  /// become invalid and its delegate has been told.
  func addLate(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      guard state.phase != .invalid else { return false }
      // A task that was refused for another reason, such as a bad URL, has been added before.
      if state.tasks.indices.contains(task.place), state.tasks[task.place] === task { return true }
      task.place = state.tasks.count
      state.tasks.append(task)
      return true
    }
  }

  /// Stops taking tasks while the daemon hasn't yet told which ones there are. The session doesn't become invalid before `finish`.
  func close() { state.withLock { if $0.phase == .open { $0.phase = .closed } } }

  /// Replaces a data task by the task that it becomes, even if the session takes no new tasks.
  func replace(_ task: URLSessionTask, by successor: URLSessionTask) {
    state.withLock { state in
      guard state.tasks.indices.contains(task.place), state.tasks[task.place] === task else { return }
      state.tasks[task.place] = successor
      (successor.place, task.place) = (task.place, -1)
    }
  }

  /// Removes a completed task. Returns true if it was the last one of a session that was waiting for its end: the session is invalid now.
  func remove(_ task: URLSessionTask) -> Bool {
    state.withLock { state in
      State.takeOut(task, of: &state)
      return State.becomesInvalid(&state)
    }
  }

  /// Stops taking tasks. Returns true if no task is left, so that the session is invalid now.
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

  /// For each task, the number of strong references that others hold to it; the registry's own isn't counted.
  var references: [ObjectIdentifier: Int] {
    state.withLock { state in
      state.tasks.withUnsafeBytes { bytes in
        // Counted by address: loading the elements as references would itself retain them.
        let addresses = bytes.assumingMemoryBound(to: UInt.self).compactMap { UnsafeRawPointer(bitPattern: $0) }
        let counts = addresses.map { Int(uls_retain_count($0)) - 1 }
        return Dictionary(zip(state.tasks.map { ObjectIdentifier($0) }, counts)) { first, _ in first }
      }
    }
  }

  /// The call stack at which a task was made; nil if recording was off then.
  func place(of task: URLSessionTask) -> CallPlace? { state.withLock { $0.places[task.taskIdentifier] } }

  /// The tasks that are running or suspended, by identifier: those that `allTasks` and the like show.
  var active: [URLSessionTask] { all.filter { $0.state == .running || $0.state == .suspended } }

  /// All tasks that haven't completed, cancelled ones too, by identifier.
  var all: [URLSessionTask] {
    state.withLock { $0.tasks.sorted { $0.taskIdentifier < $1.taskIdentifier } }
  }
}

extension TaskRegistry.State {
  /// Removes a task in constant time, by moving the last task into its place.
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
