import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation
import LoadingEngine

/// What the daemon knows and does, confined to one serial queue: messages of apps and tools, callbacks of transfers, timers and news of the
/// network all come here one after the other.
///
///     links ──▸ Serving ──▸ TransferQueue (disk) ──▸ Transfers ──▸ URLSession
///                  ▴                                     │
///                  └── events, progress, questions ◂─────┘
final class DaemonCore: @unchecked Sendable {
  // @unchecked: what changes is touched on `loop` alone.

  enum Phase {
    case new
    case serving(MessageListener)
    /// Transfers are giving their resume data.
    case ending
    case ended
  }

  let places: BackgroundPlaces
  let options: BackgroundDaemon.Options
  let environment: [String: String]
  /// Moments are those of the queue's count, which goes on where the wall clock is set.
  private(set) var time: TimeCount
  let started: Date
  let queue: TransferQueue
  let files: TransferFiles
  let notice: ServiceNotice?
  let loop = DispatchQueue(label: "urlsessiond")
  /// What may wait for a disk or another program.
  let lanes: BlockingLanes

  var phase = Phase.new
  var endings: [() -> Void] = []
  var lock: DaemonLock?
  /// Path of the socket that a service manager has made for the daemon; nil if it has made its own.
  var managed: String?

  // Serving
  var connections: [ObjectIdentifier: Connection] = [:]
  /// By session.
  var apps: [Int64: AppAttachment] = [:]
  /// By session: connections that attach when an earlier one has been read.
  var successors: [Int64: Connection] = [:]
  var questions = QuestionTable()
  var toolWatch = ToolWatch()
  var isReporting = false

  // Transfers
  var sessions: [Int64: TransferQueue.Session] = [:]
  var engines: [Int64: EngineSession] = [:]
  var runs: [Int64: TransferRun] = [:]
  /// What each of the transfers in memory is doing.
  var scheduler: TransferScheduler
  /// Ends that the disk hasn't taken yet.
  var unsettled: [Int64: PendingEnd] = [:]
  var turn = TurnState()

  // Conditions, launches
  let conditions: ConditionsWatch
  /// Sessions whose apps are being started.
  var launches: Set<Int64> = []
  /// When a launch is considered again.
  var launchTimer: Date?
  var idle = IdleState()

  init(places: BackgroundPlaces, lock: DaemonLock, environment: [String: String], options: BackgroundDaemon.Options) throws {
    self.places = places
    self.lock = lock
    self.environment = environment
    self.options = options
    queue = try TransferQueue(folder: places.data, settings: places.settings)
    let reading = options.clock()
    time = try queue.beginTime(reading)
    started = time.moment(reading)
    files = TransferFiles(folder: places.files)
    notice = ServiceNotice(environment: environment)
    lanes = BlockingLanes(loop)
    conditions = ConditionsWatch(options.network, environment: environment)
    scheduler = TransferScheduler(
      TransferScheduler.Limits(
        running: options.maximumRunning, ofSession: options.maximumOfSession, requestBytes: options.largestRequests))
  }

  var now: Date { time.moment(options.clock()) }

  /// For lists and logs, which people read.
  var wallTime: Date { options.clock().wall }

  /// Looks whether the wall clock has been set.
  func followClock() throws {
    let reading = options.clock()
    if time.isSet(reading) { time = try queue.followClock(reading) }
  }

  var isServing: Bool { if case .serving = phase { true } else { false } }

  // MARK: life

  func begin(_ listener: MessageListener) {
    dispatchPrecondition(condition: .onQueue(loop))
    guard case .new = phase else { return listener.close() }
    phase = .serving(listener)
    if let aside = queue.movedAside { note("the queue was damaged: it is kept as \(aside.lastPathComponent), and a new one was made") }
    queue.whenDamaged { [weak self] in
      guard let self else { return }
      loop.async { self.tellDamaged() }
    }
    takeJournals()
    forgetUnused()
    tidyFiles()
    conditions.begin { [weak self] isConnected in
      guard let self else { return }
      loop.async { self.networkHasChanged(isConnected) }
    } learnt: { [weak self] in
      guard let self else { return }
      loop.async { self.requestTurn() }
    }
    listener.start { [weak self] link in self?.accept(link) }
    watchSocket()
    notice?.ready()
    considerLaunches()
    requestTurn()
    considerIdleness()
  }

  /// Calls `then` when the daemon has ended.
  func whenEnded(_ then: @escaping () -> Void) {
    if case .ended = phase { then() } else { endings.append(then) }
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
      stopRuns()
      loop.asyncAfter(deadline: .now() + options.stopPatience) { [weak self] in self?.finishEnding() }
      considerEnd()
    case .ending, .ended: break
    }
  }

  /// The daemon ends as soon as nothing is under way that belongs on disk.
  func considerEnd() {
    guard case .ending = phase, scheduler.isAtRest else { return }
    finishEnding()
  }

  private func finishEnding() {
    if case .ended = phase { return }
    finishAll()
    phase = .ended
    for engine in engines.values { engine.invalidate() }
    engines = [:]
    queue.close()
    if runs.isEmpty { files.endsInOrder() }
    lock = nil
    let waiting = endings
    endings = []
    for then in waiting { then() }
  }

  /// Does what may block beside the queue, and goes on with what it brings.
  func beside<Value: Sendable>(
    _ lane: BlockingLanes.Lane, _ work: @escaping @Sendable () -> Value, then: @escaping @Sendable (DaemonCore, Value) -> Void
  ) {
    lanes.run(lane) { [weak self] in
      let value = work()
      guard let self else { return }
      loop.async { then(self, value) }
    }
  }

  // MARK: log

  /// A line of the log, also for the service's journal if it concerns the daemon as a whole.
  func note(_ text: String, transfer: Int64? = nil) {
    let text = ShownText.withoutQueries(text)
    do { try queue.log(text, transfer: transfer, now: wallTime) } catch { report("the log can't be written: \(error)") }
    if transfer == nil { report(text) }
  }

  /// For the service's journal alone.
  func report(_ text: String) {
    var line = Data(text.replacing("\n", with: " ").utf8)
    line.append(UInt8(ascii: "\n"))
    try? FileHandle.standardError.write(contentsOf: line)
  }
}
