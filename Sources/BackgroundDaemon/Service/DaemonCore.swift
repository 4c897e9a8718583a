import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

/// The daemon as a whole, confined to one serial queue: messages of apps and tools, callbacks of tasks, timers and network changes are handled there
/// one after the other. Owns the parts that do the work, the connections, the socket and the lock.
///
///     links ──▸ AppDesk, ToolDesk ──▸ TransferQueue (disk) ──▸ TurnTaker ──▸ TransferRunner ──▸ URLSession
///                  ▴                                                              │
///                  └── events, progress, questions ◂── TransferEnds ◂─────────────┘
final class DaemonCore: DaemonHost, DaemonPart, @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  enum Phase {
    case new
    case serving(MessageListener)
    /// Running tasks are cancelled and hand over their resume data.
    case ending
    case ended
  }

  let context: DaemonContext
  let appDesk: AppDesk
  let toolDesk: ToolDesk
  private let notice: ServiceNotice?
  private let conditions: ConditionsWatch
  private let apps = AttachedApps()
  private let table: TransferTable
  private let runner: TransferRunner
  private let turns: TurnTaker
  private let launcher: Launcher
  private lazy var idleness = Idleness(table, launcher) { [unowned self] in
    !connections.isEmpty
  } end: { [unowned self] in
    end {}
  }

  var phase = Phase.new
  var lock: DaemonLock?
  /// Path of the socket that the service manager has made; nil if the daemon has made its own.
  var managed: String?
  var connections: [ObjectIdentifier: Connection] = [:]
  private var endings: [() -> Void] = []

  init(places: BackgroundPlaces, lock: DaemonLock, environment: [String: String], options: DaemonSettings) throws {
    self.lock = lock
    context = try DaemonContext(places: places, environment: environment, options: options)
    notice = ServiceNotice(environment: environment)
    conditions = ConditionsWatch(options.network, environment: environment)
    table = TransferTable(context)
    runner = TransferRunner(table, TransferEnds(table))
    turns = TurnTaker(runner, conditions)
    launcher = Launcher(context) { [apps] in apps[$0] != nil }
    appDesk = AppDesk(runner, apps, launcher)
    toolDesk = ToolDesk(table, appDesk.changes, apps, conditions)
    context.host = self
    appDesk.sessions.attachAnew = { [weak self] in self?.received([.success(.attach($0))], on: $1) }
  }

  // MARK: DaemonHost

  var isServing: Bool { if case .serving = phase { true } else { false } }

  var hasEnded: Bool { if case .ended = phase { true } else { false } }

  func requestTurn() { turns.request() }

  func hasTakenTurn() {
    notice?.status("\(table.runs.count) transfers under way, \(apps.all.count) apps attached")
    considerIdleness()
  }

  func toolsChanged() { toolDesk.hasChanged() }

  func considerIdleness() { idleness.consider() }

  /// While the daemon is ending: completes the end once no transfer runs, is checked or settled.
  func considerEnd() {
    guard case .ending = phase, table.scheduler.isAtRest else { return }
    finishEnding()
  }

  // MARK: life cycle

  func begin(_ listener: MessageListener) {
    dispatchPrecondition(condition: .onQueue(loop))
    guard case .new = phase else { return listener.close() }
    phase = .serving(listener)
    if let aside = queue.movedAside {
      let successor = queue.isBegunAnew ? "a new one was made" : "a new one has its contents"
      note("the queue was damaged: it is kept as \(aside.lastPathComponent), and \(successor)")
    }
    let ends = appDesk.sessions.ends
    queue.whenDamaged { [loop] in loop.async { ends.tellDamaged() } }
    ends.takeJournals()
    ends.forgetUnused()
    LeftFiles(runner.ends).tidy()
    conditions.begin { [loop, turns] isConnected in
      loop.async { turns.networkHasChanged(isConnected) }
    } learnt: { [loop, turns] in
      loop.async { turns.request() }
    }
    listener.start { [weak self] link in self?.accept(link) }
    watchSocket()
    notice?.ready()
    launcher.considerAll()
    requestTurn()
    considerIdleness()
  }

  /// Calls `then` when the daemon has ended, at once if it has already.
  func whenEnded(_ then: @escaping () -> Void) {
    if hasEnded { then() } else { endings.append(then) }
  }

  func end(_ then: @escaping () -> Void) {
    dispatchPrecondition(condition: .onQueue(loop))
    whenEnded(then)
    switch phase {
    case .new: finishEnding()
    case .serving(let listener):
      phase = .ending
      notice?.stopping()
      listener.close()
      for connection in connections.values { connection.link.close() }
      conditions.end()
      runner.stopRuns()
      loop.asyncAfter(deadline: .now() + options.stopPatience) { [weak self] in self?.finishEnding() }
      considerEnd()
    case .ending, .ended: break
    }
  }

  private func finishEnding() {
    if hasEnded { return }
    runner.ends.finishAll()
    phase = .ended
    runner.endEngines()
    queue.close()
    if table.runs.isEmpty { files.endsInOrder() }
    lock = nil
    let waiting = endings
    endings = []
    for then in waiting { then() }
  }
}
