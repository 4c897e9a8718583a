/// The tasks that the daemon carries, each in one phase, and what has become of the daemon's events about them. A value: `BackgroundSession`
/// does what it says.
///
///     carried --the daemon tells its end--> over
///        |                                   ^
///        +--it ends here first--> discarded -+
///
/// A daemon that was killed may tell again what it has told. Once the next one has told all that it has, what it didn't speak of is forgotten.
struct CarriedTable<Carried> {
  private enum Phase {
    /// - Parameter isKnown: Whether the daemon of this attachment has spoken of it, or has been told of it.
    case carried(Carried, isKnown: Bool)
    /// It has ended here: what the daemon tells of its end goes no further.
    case discarded
    /// The daemon has told its end.
    case over
  }

  private enum Delivery {
    /// The app's calls wait in the delegate queue, or have been made.
    case begun
    /// They have returned.
    case taken
  }

  /// With the attachment in which the daemon spoke of it last.
  private struct Noted<Value> {
    var value: Value
    var attachment: Int
  }

  private var phases: [Int: Noted<Phase>] = [:]
  private var deliveries: [Int64: Noted<Delivery>] = [:]
  private var attachment = 0

  /// What is kept in memory: tasks and events.
  var count: Int { phases.count + deliveries.count }

  /// A task that hasn't ended.
  subscript(identifier: Int) -> Carried? {
    if case .carried(let carried, _)? = phases[identifier]?.value { carried } else { nil }
  }

  /// Whether the daemon knows of a task that hasn't ended.
  func isKnown(_ identifier: Int) -> Bool {
    if case .carried(_, let isKnown)? = phases[identifier]?.value { isKnown } else { false }
  }

  /// Whether there are tasks that haven't ended and that the daemon of this attachment doesn't know.
  var hasUnknown: Bool {
    phases.values.contains { if case .carried(_, isKnown: false) = $0.value { true } else { false } }
  }

  // MARK: the app

  /// A new task, of which the daemon hasn't been told.
  mutating func add(_ carried: Carried, _ identifier: Int) {
    phases[identifier] = Noted(value: .carried(carried, isKnown: false), attachment: attachment)
  }

  /// The daemon is told of a task now.
  ///
  /// - Returns: false if it has ended, or the daemon knows of it.
  mutating func announce(_ identifier: Int) -> Bool {
    guard case .carried(let carried, false)? = phases[identifier]?.value else { return false }
    phases[identifier] = Noted(value: .carried(carried, isKnown: true), attachment: attachment)
    return true
  }

  /// A task ends here; nil if it has ended.
  mutating func discard(_ identifier: Int) -> Carried? {
    guard let carried = self[identifier] else { return nil }
    phases[identifier]?.value = .discarded
    return carried
  }

  /// All that haven't ended do so here, in the order of their identifiers.
  mutating func discardAll() -> [Carried] {
    phases.keys.sorted().compactMap { discard($0) }
  }

  /// The calls for an event have returned.
  mutating func take(_ event: Int64) {
    deliveries[event] = Noted(value: .taken, attachment: attachment)
  }

  // MARK: the daemon

  /// A daemon has answered, which may know nothing.
  mutating func attach() {
    attachment += 1
    for (identifier, noted) in phases {
      if case .carried(let carried, true) = noted.value { phases[identifier]?.value = .carried(carried, isKnown: false) }
    }
  }

  /// What to do about a task that the daemon has.
  enum Reconciliation {
    /// It is told what has changed.
    case update(Carried)
    /// It is of an earlier process.
    case restore
    /// It has ended here, which a daemon that was killed hadn't noted.
    case cancel
    /// Its end was told.
    case none
  }

  /// The daemon has a task.
  ///
  /// - Parameter isFirst: Whether no daemon has told this session everything yet: what isn't known is of an earlier process.
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

  /// The task of an earlier process.
  mutating func restore(_ carried: Carried, _ identifier: Int) {
    phases[identifier] = Noted(value: .carried(carried, isKnown: true), attachment: attachment)
  }

  /// What to do about an event.
  enum Telling {
    /// The app's calls follow; nil for a task of an earlier process.
    case deliver(Carried?)
    /// The daemon is told that it was taken.
    case take
    /// Its calls wait, or are being made.
    case none
  }

  /// The daemon tells the end of a task by an event.
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

  /// The daemon has told all that it has.
  ///
  /// - Returns: The tasks that it doesn't know, in the order of their identifiers.
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
