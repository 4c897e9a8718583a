import Foundation
import LoadingModel

/// Searches the sessions of the process for held objects.
///
/// A value for one search; not to be used on an event loop, as it waits for delegate queues.
struct HeldSearch {
  /// Seconds within which a delegate queue must run the search, or else the delegate's references stay unknown.
  private static let patience = 1.0
  /// The same for queues that have nothing else to do, which only a busy machine keeps waiting: for all of a search together.
  private static let patienceWithMachine = 10.0

  /// Limits the search to sessions of this scope; nil searches all sessions.
  let scope: HeldScope?
  private let now = Date()
  private let end = DispatchTime.now() + HeldSearch.patienceWithMachine

  init(scope: HeldScope?) { self.scope = scope }

  func run() -> [URLSession.HeldObject] {
    let marks = SessionRoll.all.filter { scope == nil || $0.scope === scope }
    let sessions = marks.compactMap(facts)
    var found: [URLSession.HeldObject] = []
    for session in sessions {
      found += session.tasks.compactMap { held($0, of: session) }
      if let held = held(session) { found.append(held) }
    }
    found += questions(sessions) + observations(sessions)
    return found.filter(\.isLeaked) + found.filter { !$0.isLeaked }
  }

  // MARK: Facts about sessions and tasks

  private struct SessionFacts: Sendable {
    let mark: SessionMark
    let identity: ObjectIdentifier
    let type: String
    let isShared: Bool
    let takesTasks: Bool
    let references: Int
    let delegate: (any URLSessionDelegate)?
    let queue: OperationQueue
    let tasks: [TaskFacts]
    let taskDelegates: [ObjectIdentifier]
  }

  fileprivate struct TaskFacts: Sendable {
    let name: String
    let since: Date
    let place: CallPlace?
    let isUnstarted: Bool
    /// Strong references to the task, apart from the registry's.
    let references: Int
    let hasHandler: Bool
    let unread: Int?
  }

  private func facts(_ mark: SessionMark) -> SessionFacts? {
    mark.look { session, references in
      let counts = session.registry.references
      let tasks = session.registry.all
      return SessionFacts(
        mark: mark, identity: ObjectIdentifier(session), type: String(reflecting: type(of: session)), isShared: session.isShared,
        takesTasks: session.registry.takesTasks, references: references, delegate: session.delegate, queue: session.delegateQueue,
        tasks: tasks.map { TaskFacts($0, session.registry.place(of: $0), references: counts[ObjectIdentifier($0)] ?? 0) },
        taskDelegates: tasks.compactMap { $0.delegate.map(ObjectIdentifier.init) })
    }
  }

  // MARK: Sessions and tasks

  private func held(_ session: SessionFacts) -> URLSession.HeldObject? {
    guard let delegate = session.delegate, !session.isShared, session.takesTasks else { return nil }
    guard session.tasks.allSatisfy(\.isUnstarted) else { return nil }
    let type = HeldSearch.written(session.type)
    let delegateType = String(reflecting: Swift.type(of: delegate))
    let paths = paths(from: delegate, session)
    let others = session.references - (paths?.count ?? 0) - session.tasks.count
    let forgottenTasks = session.tasks.allSatisfy { $0.references == 0 }
    let chain = "\(type) → delegate: \(delegateType)"
    var holders = (paths ?? []).map { "\(chain) → \($0)" }
    if !session.tasks.isEmpty { holders.append("\(type) → tasks: \(session.tasks.map(\.name).joined(separator: ", ")) → session") }
    if holders.isEmpty { holders = [chain] }
    if paths == nil { holders.append("(its delegate queue was busy: what the delegate refers to isn't known)") }
    if others > 0 {
      holders.append("\(others) other reference\(others == 1 ? "" : "s") to the session: a variable, a closure, another object")
    }
    let isLeaked = paths != nil && others <= 0 && forgottenTasks
    return URLSession.HeldObject(
      kind: .session, name: "\(type) with delegate \(delegateType)", age: age(session.mark.creation), isLeaked: isLeaked,
      holders: holders,
      remedy: isLeaked
        ? "Only what it holds refers to the session: call finishTasksAndInvalidate() or invalidateAndCancel() when it isn't needed any more."
        : "It keeps its delegate until finishTasksAndInvalidate() or invalidateAndCancel() is called.",
      place: session.mark.place?.lines ?? [])
  }

  private func held(_ task: TaskFacts, of session: SessionFacts) -> URLSession.HeldObject? {
    let holders = ["\(HeldSearch.written(session.type)) → tasks: \(task.name) → session"]
    if task.isUnstarted {
      let handler = task.hasHandler ? ["\(task.name) → completion handler, which is never called"] : []
      let others = "\(task.references) other reference\(task.references == 1 ? "" : "s") to the task"
      return URLSession.HeldObject(
        kind: .task, name: "\(task.name), never resumed", age: age(task.since), isLeaked: task.references == 0,
        holders: holders + handler + (task.references == 0 ? [] : [others]),
        remedy: task.references == 0
          ? "Only its session refers to the task, and the task to its session: call resume(), or cancel(), before letting go of it."
          : "It keeps its session until resume() or cancel() is called.",
        place: task.place?.lines ?? [])
    }
    guard let unread = task.unread, unread > 0 else { return nil }
    return URLSession.HeldObject(
      kind: .body, name: "bytes of \(task.name), \(unread) of them unread", age: age(task.since), isLeaked: false, holders: holders,
      remedy: "The load waits for its reader: read the bytes to their end, or let go of them, or cancel the task.",
      place: task.place?.lines ?? [])
  }

  private func age(_ since: Date) -> TimeInterval { max(0, now.timeIntervalSince(since)) }

  /// The type's name, without this library's module name if it is one of its own classes.
  private static func written(_ type: String) -> String {
    type.hasPrefix("URLLoadingSystem.") ? String(type.dropFirst("URLLoadingSystem.".count)) : type
  }

  /// The paths of references from the delegate to the session; nil if the delegate queue doesn't run the search in time.
  private func paths(from delegate: any URLSessionDelegate, _ session: SessionFacts) -> [String]? {
    let search: @Sendable () -> [String] = { [identity = session.identity] in HolderSearch(from: delegate, to: identity).paths }
    if OperationQueue.current === session.queue || (session.queue === OperationQueue.main && Thread.isMainThread) { return search() }
    let answer = Answer()
    let isFree = session.queue.operationCount == 0 && !session.queue.isSuspended
    // Not through the pump, so that only the delegate call that is running is waited for, and not the queued ones.
    session.queue.addOperation {
      answer.give(search())
    }
    let soon = DispatchTime.now() + HeldSearch.patience
    return answer.wait(until: isFree ? max(end, soon) : soon)
  }

  /// The result of a search on a delegate queue, and a semaphore to wait for it.
  private final class Answer: Sendable {
    private let paths = Mutex<[String]?>(nil)
    private let done = DispatchSemaphore(value: 0)

    func give(_ found: [String]) {
      paths.withLock { $0 = found }
      done.signal()
    }

    func wait(until end: DispatchTime) -> [String]? {
      _ = done.wait(timeout: end)
      return paths.withLock { $0 }
    }
  }

  // MARK: Answers and observations

  private func questions(_ sessions: [SessionFacts]) -> [URLSession.HeldObject] {
    let delegates = Set(sessions.flatMap { $0.taskDelegates + ($0.delegate.map { [ObjectIdentifier($0)] } ?? []) })
    return HeldRecording.questions.filter { scope == nil || delegates.contains($0.delegate) }.map { question in
      URLSession.HeldObject(
        kind: .answer, name: "\(question.delegateType)'s answer to \(question.method)", age: age(question.since), isLeaked: false,
        holders: ["URLSessionTask → waits for \(question.delegateType).\(question.method)"],
        remedy: question.isAsync
          ? "The load waits until the method returns." : "The load waits: call the completion handler exactly once, on every path.",
        place: [])
    }
  }

  private func observations(_ sessions: [SessionFacts]) -> [URLSession.HeldObject] {
    HeldRecording.observations.filter { ($0.scope === scope || scope == nil) && $0.isOver() }.map { observation in
      URLSession.HeldObject(
        kind: .observation, name: "NSKeyValueObservation of \(observation.path)", age: age(observation.since), isLeaked: false,
        holders: ["NSKeyValueObservation → change handler; its \(observation.objectType) has ended"],
        remedy: "Nothing will change any more: call invalidate(), or let go of the observation.", place: observation.place.lines)
    }
  }
}

extension HeldSearch.TaskFacts {
  fileprivate init(_ task: URLSessionTask, _ place: CallPlace?, references: Int) {
    let (isUnstarted, delivery) = task.fields.withLock { fields in
      if case .unstarted = fields.lifecycle { return (fields.state == .suspended, fields.delivery) }
      return (false, fields.delivery)
    }
    let written = String(describing: type(of: task))
    self.init(
      name: "\(written) \(task.taskIdentifier)", since: task.creation, place: place, isUnstarted: isUnstarted && delivery.hasCaller,
      references: max(0, references), hasHandler: delivery.hasHandler, unread: delivery.unread)
  }
}

extension TaskDelivery {
  fileprivate var hasHandler: Bool {
    switch self {
    case .completion, .file: true
    case .delegate, .awaited, .continuation, .bytes, .fileContinuation: false
    }
  }

  /// Bytes that have arrived while no reader waits for them; nil for tasks that don't deliver to a reader of bytes.
  fileprivate var unread: Int? {
    guard case .bytes(let chunks) = self else { return nil }
    return chunks.unread
  }
}
