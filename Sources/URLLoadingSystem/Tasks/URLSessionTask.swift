import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

#if Tracing
  import Tracing
#endif

/// One load of a session, as Apple documents: made suspended, started by `resume()`, ended exactly once.
///
/// Thread-safe. Copying returns the task itself.
open class URLSessionTask: NSObject, NSCopying, ProgressReporting, @unchecked Sendable {
  // @unchecked: everything stored is immutable, behind a mutex, or, as `place`, guarded by the registry's lock; subclasses answer for what
  // they add.

  /// The state of a task.
  public enum State: Int, Sendable {
    /// The task loads, or waits for a connection or its turn to load.
    case running = 0
    /// The task sends, reads and delivers nothing until it is resumed.
    case suspended = 1
    /// `cancel()` was called, and the task hasn't ended yet.
    case canceling = 2
    /// The task has ended, with or without an error; the state no longer changes.
    case completed = 3
  }

  /// How far the engine has come with the task.
  enum Lifecycle {
    case unstarted
    /// A thread is about to give the task to the engine or the daemon: that thread sees state changes that other threads make meanwhile.
    case starting
    case started(LoadContext)
    /// The daemon of background sessions carries the task.
    case carried
    case ended
  }

  struct Fields {
    var state = State.suspended
    var lifecycle = Lifecycle.unstarted
    /// The number of calls of `suspend()` without a `resume()`, plus one for a new task; it runs at 0.
    var suspensions = 1
    var delivery: TaskDelivery
    var chain: DelegateChain
    var delegate: (any URLSessionTaskDelegate)?
    /// The request as it is sent: an upload's includes the body that is uploaded.
    var currentRequest: LoadRequest?
    /// What an upload was given; nil for other tasks.
    var upload: UploadRequest?
    var response: URLResponse?
    var error: (any Error)?
    /// The trailer fields of the response (RFC 9110, 6.5); nil before the task has completed and where there were none.
    var trailers: HeaderFields?
    var sent: Int64 = 0
    var received: Int64 = 0
    var expectedToSend: Int64 = 0
    var expectedToReceive: Int64 = NSURLSessionTransferSizeUnknown
    var clientExpectsToSend: Int64 = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive: Int64 = NSURLSessionTransferSizeUnknown
    var priority = URLSessionTask.defaultPriority
    var prefersIncrementalDelivery: Bool
    /// Whether a multipart/x-mixed-replace body is delivered as one response, not as a response for each part.
    var keepsBodyWhole = false
    var earliestBeginDate: Date?
    var taskDescription: String?
    var progress: LoadProgress?
    var observers = Observers<TaskValues>()
    /// Callers that wait for resume data; the end of the task answers them.
    var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
    /// Set if the session was invalidated before the task was made: the task ends with this error as soon as it is started.
    var refusal: LoadError?
    /// Resume data of the earlier upload that this task resumes; nil for a new upload.
    var resumedUpload: UploadResumeData?
    /// What a task of a background session keeps for the daemon; nil in other sessions.
    var carried: CarriedFields?
  }

  /// `URLSessionTask.priority` of a task for which it wasn't set: 0.5.
  public static let defaultPriority: Float = 0.5
  /// A priority below the default: 0.25.
  public static let lowPriority: Float = 0.25
  /// A priority above the default: 0.75.
  public static let highPriority: Float = 0.75

  let fields: Mutex<Fields>
  let session: URLSession?
  let creation = Date()
  /// The task's index in its session's registry. `nonisolated(unsafe)`: read and written with the registry's lock held, in `TaskRegistry`
  /// alone.
  nonisolated(unsafe) var place = -1
  private let identifier: Int
  let original: LoadRequest?
  #if Tracing
    /// The context of the code that made the task: the parent of its span.
    let callerContext = ServiceContext.current
  #endif

  init(
    session: URLSession, identifier: Int, request: LoadRequest?, upload: UploadRequest? = nil, delivery: TaskDelivery,
    delegate: (any URLSessionTaskDelegate)? = nil
  ) {
    self.session = session
    self.identifier = identifier
    original = request
    let chain =
      delegate.map { DelegateChain(task: DelegateMessages($0), session: session.messages) } ?? session.sessionChain
    let first = upload?.sent ?? request
    // Made where it is moved from: a variable would be copied, which counts some twenty references.
    fields = Mutex(
      Fields(
        delivery: delivery, chain: chain, delegate: delegate, currentRequest: first, upload: upload,
        expectedToSend: first.map(TaskProgress.expectedToSend) ?? 0, prefersIncrementalDelivery: !delivery.collects))
    super.init()
  }

  /// A task without a session, which can do nothing. Sessions make tasks.
  @available(*, deprecated, message: "Tasks are made by a URLSession.")
  public override init() {
    session = nil
    identifier = 0
    original = nil
    fields = Mutex(Fields(delivery: .delegate, chain: DelegateChain(), prefersIncrementalDelivery: true))
    super.init()
  }

  /// The task itself.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Unique among the tasks of one session; counted from 1.
  open var taskIdentifier: Int { identifier }

  /// The request as it was given. The body of an upload isn't part of it.
  open var originalRequest: URLRequest? { original.map(URLRequest.init(load:)) }

  /// The request in effect: with the session's headers, and that of the last redirect.
  open var currentRequest: URLRequest? {
    let (current, upload) = fields.withLock { ($0.currentRequest, $0.upload) }
    return current.map { URLRequest(load: upload?.shown($0) ?? $0) }
  }

  /// The response, once it is there.
  open var response: URLResponse? { fields.withLock { $0.response } }

  /// Asked and told before the session's delegate; to be set before `resume()`. Released when the task has ended.
  ///
  /// Setting it after the task has started has no effect: Apple raises an exception there.
  open var delegate: (any URLSessionTaskDelegate)? {
    get { fields.withLock { $0.delegate } }
    set {
      let chain = newValue.map { DelegateChain(task: DelegateMessages($0), session: session?.messages) } ?? session?.sessionChain
      // The old delegate's deinit is the app's code: it must not run under the lock.
      let (isCarried, _) = fields.withLock { fields -> (Bool, (any URLSessionTaskDelegate, DelegateChain)?) in
        if case .carried = fields.lifecycle { return (newValue != nil, nil) }
        guard case .unstarted = fields.lifecycle else { return (false, nil) }
        let past = fields.delegate.map { ($0, fields.chain) }
        fields.delegate = newValue
        fields.chain = chain ?? DelegateChain()
        return (false, past)
      }
      if isCarried { session?.background?.refuseDelegate(of: self) }
    }
  }

  /// The request that the task begins with; an upload's includes the body that is uploaded.
  var firstRequest: LoadRequest? { fields.withLock { $0.upload }?.sent ?? original }

  /// The form in which a request that the app has made, such as its answer to a redirect, is sent: an upload's gets the upload's body.
  func sendable(_ request: LoadRequest) -> LoadRequest { fields.withLock { $0.upload }?.carried(by: request) ?? request }

  /// The file that the task loads into; nil for all but download tasks.
  func makeDownload() -> Download? { nil }

  /// The pump that makes the task's delegate calls if it isn't the session's own; nil by default.
  var deliveryPump: DelegatePump? { nil }

  /// The key of a `URLError`'s `userInfo` under which resume data is stored; nil for tasks that can't be resumed.
  var resumeDataKey: String? { nil }

  var chain: DelegateChain { fields.withLock { $0.chain } }

  /// Tracks the body bytes; cancelling or pausing it cancels or suspends the task.
  ///
  /// A task that is made while a progress is current (`becomeCurrent(withPendingUnitCount:)`) becomes a part of that one; any other can be
  /// added with `addChild(_:withPendingUnitCount:)`. Tasks of the async functions never become a part.
  open var progress: Progress { shownProgress }

  final var shownProgress: LoadProgress {
    if let progress = fields.withLock({ $0.progress }) { return progress }
    noteLengthOfFile()
    let made = TaskProgress.make(for: self)
    let progress = fields.withLock { fields in
      if fields.progress == nil { fields.progress = made }
      return fields.progress ?? made
    }
    showCounts(in: progress)
    return progress
  }

  /// When a background session may begin the task at the earliest. Default: nil. Other sessions ignore it.
  open var earliestBeginDate: Date? {
    get { fields.withLock { $0.earliestBeginDate } }
    set {
      change { $0.earliestBeginDate = newValue }
      session?.background?.change(self) { $0.earliestBegin = newValue ?? .distantPast }
    }
  }

  /// The app's estimate of the bytes to send, by which a background session schedules. Default: `NSURLSessionTransferSizeUnknown`.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { fields.withLock { $0.clientExpectsToSend } }
    set {
      change { $0.clientExpectsToSend = newValue }
      session?.background?.change(self) { $0.expectsToSend = newValue }
    }
  }

  /// The app's estimate of the bytes to receive, by which a background session schedules. Default: `NSURLSessionTransferSizeUnknown`.
  open var countOfBytesClientExpectsToReceive: Int64 {
    get { fields.withLock { $0.clientExpectsToReceive } }
    set {
      change { $0.clientExpectsToReceive = newValue }
      session?.background?.change(self) { $0.expectsToReceive = newValue }
    }
  }

  /// Body bytes sent so far.
  open var countOfBytesSent: Int64 { fields.withLock { $0.sent } }

  /// Body bytes received so far, after decoding.
  open var countOfBytesReceived: Int64 { fields.withLock { $0.received } }

  /// Length of the request's body in bytes; -1 if unknown, 0 without a body. Of a file that isn't being sent yet, its length when this was first
  /// asked for.
  open var countOfBytesExpectedToSend: Int64 {
    noteLengthOfFile()
    return fields.withLock { $0.expectedToSend }
  }

  /// Length of the response's body in bytes; -1 if unknown.
  open var countOfBytesExpectedToReceive: Int64 { fields.withLock { $0.expectedToReceive } }

  /// A label for the app's own use. Default: nil. Of a background task a label of up to 512 KiB is there in the app's next process as well.
  open var taskDescription: String? {
    get { fields.withLock { $0.taskDescription } }
    set {
      change { $0.taskDescription = newValue }
      session?.background?.change(self) { $0.describe(as: newValue) }
    }
  }

  /// The task's state: running, suspended, being cancelled, or completed.
  open var state: State { fields.withLock { $0.state } }

  /// Why the task failed; nil while it is active and after success.
  open var error: (any Error)? { fields.withLock { $0.error } }

  /// A hint between 0 and 1: a load with a higher priority gets a free connection first, and servers that speak HTTP/2 are told how urgent
  /// it is. Values beyond are clamped; NaN means the default. Default: `defaultPriority`.
  open var priority: Float {
    get { fields.withLock { $0.priority } }
    set {
      let started = change { fields -> LoadContext? in
        fields.priority = newValue.isNaN ? URLSessionTask.defaultPriority : min(max(newValue, 0), 1)
        guard case .started(let context) = fields.lifecycle else { return nil }
        return context
      }
      if let started { showPriority(started) }
      session?.background?.change(self) { $0.priority = priority }
    }
  }

  /// Whether the body is wanted as it arrives rather than at the end. A hint, which servers of HTTP/2 are given before the task starts
  /// (RFC 9218, `i`). Default: true; false with a completion handler and for downloads.
  open var prefersIncrementalDelivery: Bool {
    get { fields.withLock { $0.prefersIncrementalDelivery } }
    set { change { $0.prefersIncrementalDelivery = newValue } }
  }

  /// Starts the task, or undoes one `suspend()`. A surplus call has no effect.
  open func resume() {
    perform(
      change { fields -> Step in
        guard fields.suspensions > 0 else { return .none }
        fields.suspensions -= 1
        guard fields.suspensions == 0, fields.state == .suspended else { return .none }
        fields.state = .running
        switch fields.lifecycle {
        case .unstarted:
          // A task of an async function isn't started here: `begin(_:)` starts it when the caller waits.
          if case .awaited = fields.delivery { return .none }
          fields.lifecycle = .starting
          return .start
        case .started(let context): return .showSuspension(context)
        case .carried: return .showToDaemon
        case .starting, .ended: return .none
        }
      })
  }

  /// Pauses the task until it has been resumed as often as it was suspended. While paused, nothing is sent, read or delivered.
  open func suspend() {
    perform(
      change { fields -> Step in
        guard fields.state == .running || fields.state == .suspended else { return .none }
        fields.suspensions += 1
        guard fields.state == .running else { return .none }
        fields.state = .suspended
        switch fields.lifecycle {
        case .started(let context): return .showSuspension(context)
        case .carried: return .showToDaemon
        case .unstarted, .starting, .ended: return .none
        }
      })
  }

  /// Ends the task with `URLError.cancelled`; returns at once. No effect on a task that has completed.
  open func cancel() {
    perform(
      change { fields -> Step in
        guard fields.state == .running || fields.state == .suspended else { return .none }
        fields.state = .canceling
        switch fields.lifecycle {
        case .unstarted:
          // A task of an async function isn't ended here: `begin(_:)` starts and so ends it when the caller waits.
          if case .awaited = fields.delivery { return .none }
          fields.lifecycle = .starting
          return .start
        case .started(let context): return .interrupt(context)
        case .carried: return .showToDaemon
        case .starting, .ended: return .none
        }
      })
  }
}
