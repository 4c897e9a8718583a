/// The tasks that the daemon carries, each in one phase, and how far its events about them have been delivered. A value type that only decides;
/// `BackgroundSession` acts.
///
///     carried --the daemon tells its end--> over
///        |                                   ^
///        +--it ends here first--> discarded -+
///
/// A daemon that was killed and restarted may send events again. When it has sent all of them, entries that it hasn't mentioned are dropped.
struct CarriedTable<Carried> {
  private enum Phase {
    /// - Parameter isKnown: Whether the daemon of the present attachment has mentioned the task or been sent it.
    case carried(Carried, isKnown: Bool)
    /// The task has ended in this process: an event about its end is acknowledged without being delivered.
    case discarded
    /// The daemon has sent the event of the task's end.
    case over
  }

  private enum Delivery {
    /// The app's calls for the event have been posted to the delegate queue.
    case begun
    /// The app's calls for the event have returned.
    case taken
  }

  /// A value with the number of the attachment in which the daemon mentioned it last.
  private struct Noted<Value> {
    var value: Value
    var attachment: Int
  }

  private var phases: [Int: Noted<Phase>] = [:]
  private var deliveries: [Int64: Noted<Delivery>] = [:]
  private var attachment = 0

  /// The number of entries in memory, tasks and events.
  var count: Int { phases.count + deliveries.count }

  /// The task with this identifier; nil if it has ended or isn't carried.
  subscript(identifier: Int) -> Carried? {
    if case .carried(let carried, _)? = phases[identifier]?.value { carried } else { nil }
  }

  /// Whether the task hasn't ended and the daemon of the present attachment knows it.
  func isKnown(_ identifier: Int) -> Bool {
    if case .carried(_, let isKnown)? = phases[identifier]?.value { isKnown } else { false }
  }

  /// Whether there are tasks that haven't ended and that the daemon of the present attachment doesn't know.
  var hasUnknown: Bool {
    phases.values.contains { if case .carried(_, isKnown: false) = $0.value { true } else { false } }
  }

  // MARK: Changes by the app

  /// Adds a new task that the daemon hasn't been sent yet.
  mutating func add(_ carried: Carried, _ identifier: Int) {
    phases[identifier] = Noted(value: .carried(carried, isKnown: false), attachment: attachment)
  }

  /// Marks a task as known, because it is sent to the daemon now.
  ///
  /// - Returns: false if the task has ended or the daemon knows it already: then it isn't to be sent.
  mutating func announce(_ identifier: Int) -> Bool {
    guard case .carried(let carried, false)? = phases[identifier]?.value else { return false }
    phases[identifier] = Noted(value: .carried(carried, isKnown: true), attachment: attachment)
    return true
  }

  /// Marks a task as ended in this process, and returns it; nil if it has ended before.
  mutating func discard(_ identifier: Int) -> Carried? {
    guard let carried = self[identifier] else { return nil }
    phases[identifier]?.value = .discarded
    return carried
  }

  /// Marks all tasks that haven't ended as ended in this process, and returns them in the order of their identifiers.
  mutating func discardAll() -> [Carried] {
    phases.keys.sorted().compactMap { discard($0) }
  }

  /// Notes that the app's calls for an event have returned.
  mutating func take(_ event: Int64) {
    deliveries[event] = Noted(value: .taken, attachment: attachment)
  }

  // MARK: Messages of the daemon

  /// Begins a new attachment: the daemon that has accepted the session may be a new one, so no task counts as known to it.
  mutating func attach() {
    attachment += 1
    for (identifier, noted) in phases {
      if case .carried(let carried, true) = noted.value { phases[identifier]?.value = .carried(carried, isKnown: false) }
    }
  }

  /// What to do about a task that the daemon has reported.
  enum Reconciliation {
    /// Send the daemon the changes that the app has made to the task.
    case update(Carried)
    /// Make a task object: the task is one of an earlier process.
    case restore
    /// Cancel it in the daemon: it has ended in this process, which a daemon that was killed hadn't written down.
    case cancel
    /// Nothing: the event of the task's end has been received.
    case none
  }

  /// Handles a task that the daemon reports.
  ///
  /// - Parameter isFirst: Whether no daemon has reported everything to this session yet: then an unknown task is one of an earlier process.
  mutating func reconcile(_ identifier: Int, isFirst: Bool) -> Reconciliation {
    guard let noted = phases[identifier] else { return isFirst ? .restore : .cancel }
    phases[identifier]?.attachment = attachment
    switch noted.value {
    case .carried(let carried, _):
      phases[identifier]?.value = .carried(carried, isKnown: true)
      return .update(carried)
    case .discarded: return .cancel
    case .over: return .none
    }
  }

  /// Adds the task of an earlier process, which the daemon knows.
  mutating func restore(_ carried: Carried, _ identifier: Int) {
    phases[identifier] = Noted(value: .carried(carried, isKnown: true), attachment: attachment)
  }

  /// What to do about an event that the daemon has sent.
  enum Telling {
    /// Make the app's calls; the task is nil if it is one of an earlier process.
    case deliver(Carried?)
    /// Acknowledge the event to the daemon: its calls have returned, or its task has ended in this process.
    case take
    /// Nothing: the app's calls for the event are queued or being made.
    case none
  }

  /// Handles the event of a task's end.
  mutating func tell(_ event: Int64, of identifier: Int) -> Telling {
    let before = phases[identifier]?.value
    phases[identifier] = Noted(value: .over, attachment: attachment)
    if let delivery = deliveries[event]?.value {
      deliveries[event]?.attachment = attachment
      return if case .taken = delivery { .take } else { .none }
    }
    deliveries[event] = Noted(value: .begun, attachment: attachment)
    switch before {
    case .carried(let carried, _): return .deliver(carried)
    case .discarded: return .take
    case .over, nil: return .deliver(nil)
    }
  }

  /// Handles the daemon's message that it has sent all tasks and events: drops the entries that it hasn't mentioned.
  ///
  /// - Returns: The tasks that the daemon doesn't know, which are to be sent to it, in the order of their identifiers.
  mutating func catchUp() -> [Carried] {
    let attachment = attachment
    phases = phases.filter { _, noted in
      if case .carried = noted.value { true } else { noted.attachment == attachment }
    }
    deliveries = deliveries.filter { _, noted in
      if case .begun = noted.value { true } else { noted.attachment == attachment }
    }
    return phases.keys.sorted().compactMap { identifier in
      if case .carried(let carried, false)? = phases[identifier]?.value { carried } else { nil }
    }
  }
}
