#if Inspector
  import Foundation
  import HTTPTransport
  import LoadingModel
  import struct Synchronization.Atomic
  import URLLoadingSystem

  /// Records what sessions send and receive: heads, bodies, timing, connections, decisions of their caches, WebSocket messages, errors.
  ///
  /// A recorder that is set in a configuration (``URLLoadingSystem/URLSessionConfiguration/inspector``) records the sessions that are created with
  /// it; ``recordAll(_:)`` records the whole process. Transfers are redacted before they are stored, and only the newest are kept. The recording can
  /// be saved as HAR (``har(wholeMilliseconds:)``), read as JSON lines (``jsonLines()``), and watched live in a browser (``servePage(port:token:)``).
  /// Thread-safe.
  public final class URLSessionInspector: Sendable {
    /// The options that the recorder was created with.
    public let options: Options

    let redactor: Redactor
    let budget: ByteBudget
    let folder: SpillFolder
    private let store: Mutex<TransferStore>
    private let connections = Mutex(RecordedConnections())
    private let loads = Atomic(0)
    private let pauses = Atomic(false)
    /// The queue on which bodies are written to files.
    private let files = DispatchQueue(label: "URLLoadingInspector.files", qos: .utility)

    /// Creates a recorder without any transfers.
    public init(_ options: Options = Options()) {
      self.options = options
      redactor = Redactor(isOn: options.redaction.isOn, names: options.redaction.names, bodyRule: options.redaction.body)
      budget = ByteBudget(limit: options.maximumMemory)
      folder = SpillFolder(limit: options.maximumDisk)
      ConnectionFacts.keepsCertificates.store(true, ordering: .relaxed)
      store = Mutex(TransferStore(limit: options.maximumTransfers, weightLimit: options.maximumMemory))
    }

    /// Records all sessions of the process from now on, including existing ones, except sessions whose configuration has a recorder of its own. A
    /// later call replaces the recorder of an earlier one.
    @discardableResult
    public static func recordAll(_ options: Options = Options()) -> URLSessionInspector {
      let inspector = URLSessionInspector(options)
      TransferRecorders.ofProcess = inspector
      return inspector
    }

    /// Ends the recording that ``recordAll(_:)`` began; tasks that are already being recorded are recorded to their end.
    public static func stopRecordingAll() { TransferRecorders.ofProcess = nil }

    /// Whether the recording is paused: tasks that start now aren't recorded. Default: false.
    public var isPaused: Bool {
      get { pauses.load(ordering: .relaxed) }
      set { pauses.store(newValue, ordering: .relaxed) }
    }

    /// The number of recorded transfers. A task has several if it is redirected, repeated or authenticated.
    public var count: Int { store.withLock { $0.count } }

    /// Removes all recorded transfers, including active ones, whose further progress isn't recorded either.
    public func removeAll() {
      let old = store.withLock { $0.removeAll() }
      // The transfers' files are removed when `old` is released, outside of the lock.
      _ = consume old
    }

    /// The recorded transfers, the oldest first.
    package var transfers: [RecordedTransfer] { store.withLock { $0.transfers } }

    package func transfer(_ number: Int) -> RecordedTransfer? { store.withLock { $0.transfer(number) } }

    /// The changes since `revision`, to bring a page up to date.
    func changes(since revision: Int) -> TransferStore.Changes { store.withLock { $0.changes(since: revision) } }

    /// Adds transfers from another recording; they get new numbers.
    package func add(_ transfers: [RecordedTransfer]) {
      for var transfer in transfers { begin(&transfer) }
    }

    // MARK: - Calls of the recorders of single loads

    func begin(_ transfer: inout RecordedTransfer) { store.withLock { $0.begin(&transfer) } }

    func update(_ transfer: RecordedTransfer) { store.withLock { $0.update(transfer) } }

    /// Stores the final state of a transfer, makes room for new bodies if memory is short, and moves large bodies into files.
    func end(_ transfer: RecordedTransfer) {
      store.withLock { store in
        store.update(transfer)
        // At nine tenths of the budget the oldest bodies are dropped, so that new bodies find room.
        while budget.taken > budget.limit / 10 * 9, store.dropOldestBodies() {}
      }
      let threshold = options.spillThreshold
      func isLarge(_ body: RecordedBody?) -> Bool { body.map { $0.count > threshold } ?? false }
      guard isLarge(transfer.request.body) || isLarge(transfer.response?.body) else { return }
      files.async { [self] in
        var spilled = transfer
        if let count = spilled.request.body?.count, count > threshold { spilled.request.body?.spill(into: folder) }
        if let count = spilled.response?.body?.count, count > threshold { spilled.response?.body?.spill(into: folder) }
        store.withLock { $0.replaceBodies(by: spilled) }
      }
    }

    func connection(_ facts: ConnectionFacts, _ record: TransactionRecord) -> RecordedTransfer.SharedConnection {
      connections.withLock { $0.connection(facts, record) }
    }

    /// Returns when all pending writes of bodies to files are done, for tests.
    package func settle() { files.sync {} }

    /// Whether the next load is recorded: with a sampling of 0.1, every tenth is.
    private var isSampled: Bool {
      let fraction = options.sampling
      guard fraction < 1 else { return true }
      let count = Double(loads.add(1, ordering: .relaxed).newValue)
      return (count * fraction).rounded(.down) > ((count - 1) * fraction).rounded(.down)
    }
  }

  extension URLSessionInspector: TransferRecording {
    package func observer(of task: RecordedTask, _ context: LoadContext) -> (any LoadObserver & ContentObserver)? {
      guard !isPaused, isSampled else { return nil }
      return LoadRecorder(self, task, context)
    }
  }
#endif
