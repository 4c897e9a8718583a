#if Inspector
  import Foundation
  import HTTPTransport
  import LoadingModel
  import struct Synchronization.Atomic
  import URLLoadingSystem

  /// Records what sessions send and receive: heads, bodies, timing, connections, what their caches decide, messages of WebSockets, errors.
  ///
  /// Given to a configuration (``URLLoadingSystem/URLSessionConfiguration/inspector``), it records the sessions that are made with it;
  /// ``recordAll(_:)`` records all of the process. What is recorded is redacted first, and bounded: the newest transfers are kept. It can be
  /// saved as HAR (``har(wholeMilliseconds:)``), read as JSON lines (``jsonLines()``), and looked at live in a browser (``servePage(port:token:)``). Thread-safe.
  public final class URLSessionInspector: Sendable {
    /// What the recorder was made with.
    public let options: Options

    let redactor: Redactor
    let budget: ByteBudget
    let folder: SpillFolder
    private let store: Mutex<TransferStore>
    private let connections = Mutex(RecordedConnections())
    private let loads = Atomic(0)
    private let pauses = Atomic(false)
    /// Where bodies are written to files.
    private let files = DispatchQueue(label: "URLLoadingInspector.files", qos: .utility)

    /// A recorder that has nothing yet.
    public init(_ options: Options = Options()) {
      self.options = options
      redactor = Redactor(isOn: options.redaction.isOn, names: options.redaction.names, bodyRule: options.redaction.body)
      budget = ByteBudget(limit: options.maximumMemory)
      folder = SpillFolder(limit: options.maximumDisk)
      ConnectionFacts.keepsCertificates.store(true, ordering: .relaxed)
      store = Mutex(TransferStore(limit: options.maximumTransfers, weightLimit: options.maximumMemory))
    }

    /// Records all sessions of the process from now on, those that exist among them, but for sessions whose configuration has a recorder of
    /// its own. A later call takes the place of an earlier one.
    @discardableResult
    public static func recordAll(_ options: Options = Options()) -> URLSessionInspector {
      let inspector = URLSessionInspector(options)
      TransferRecorders.ofProcess = inspector
      return inspector
    }

    /// Ends what ``recordAll(_:)`` has begun; tasks that are under way are recorded to their end.
    public static func stopRecordingAll() { TransferRecorders.ofProcess = nil }

    /// Whether new tasks are left out for now. Default: false.
    public var isPaused: Bool {
      get { pauses.load(ordering: .relaxed) }
      set { pauses.store(newValue, ordering: .relaxed) }
    }

    /// How many transfers are recorded. A redirect, a repeated request and a login make a task several transfers.
    public var count: Int { store.withLock { $0.count } }

    /// Forgets what is recorded; tasks that are under way are forgotten as well.
    public func removeAll() {
      let old = store.withLock { $0.removeAll() }
      // Files are removed without the lock.
      _ = consume old
    }

    /// What is recorded, the oldest first.
    package var transfers: [RecordedTransfer] { store.withLock { $0.transfers } }

    package func transfer(_ number: Int) -> RecordedTransfer? { store.withLock { $0.transfer(number) } }

    /// What has changed since `revision`, for a page that shows it.
    func changes(since revision: Int) -> TransferStore.Changes { store.withLock { $0.changes(since: revision) } }

    /// Takes what was recorded elsewhere; it gets numbers of its own.
    package func add(_ transfers: [RecordedTransfer]) {
      for var transfer in transfers { begin(&transfer) }
    }

    // MARK: what recorders of single loads call

    func begin(_ transfer: inout RecordedTransfer) { store.withLock { $0.begin(&transfer) } }

    func update(_ transfer: RecordedTransfer) { store.withLock { $0.update(transfer) } }

    /// The transfer has ended: large bodies are moved into files.
    func end(_ transfer: RecordedTransfer) {
      store.withLock { store in
        store.update(transfer)
        // The newest is worth more than the oldest.
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

    /// Returns once what has ended is where it stays.
    package func settle() { files.sync {} }

    /// Whether the next load is recorded: with a sampling of 0.1 it is every tenth.
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
