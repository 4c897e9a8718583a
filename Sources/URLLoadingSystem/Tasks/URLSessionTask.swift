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

  /// Where a task is in its life.
  public enum State: Int, Sendable {
    /// It loads, or waits to.
    case running = 0
    /// It does nothing until resumed.
    case suspended = 1
    /// It was told to end and hasn't yet.
    case canceling = 2
    /// It has ended; final.
    case completed = 3
  }

  /// Whether the engine has the task.
  enum Lifecycle {
    case unstarted
    /// Some thread is about to hand it over: what others change meanwhile is seen then.
    case starting
    case started(LoadContext)
    /// The daemon of background sessions has it.
    case carried
    case ended
  }

  struct Fields {
    var state = State.suspended
    var lifecycle = Lifecycle.unstarted
    /// Suspensions not yet resumed; a new task has one.
    var suspensions = 1
    var delivery: TaskDelivery
    var chain: DelegateChain
    var delegate: (any URLSessionTaskDelegate)?
    /// As it is sent: an upload's has the body that is uploaded.
    var currentRequest: LoadRequest?
    /// What an upload was given; nil for other tasks.
    var upload: UploadRequest?
    var response: URLResponse?
    var error: (any Error)?
    /// The fields behind the response's body.
    var trailers: HeaderFields?
    var sent: Int64 = 0
    var received: Int64 = 0
    var expectedToSend: Int64 = 0
    var expectedToReceive: Int64 = NSURLSessionTransferSizeUnknown
    var clientExpectsToSend: Int64 = NSURLSessionTransferSizeUnknown
    var clientExpectsToReceive: Int64 = NSURLSessionTransferSizeUnknown
    var priority = URLSessionTask.defaultPriority
    var prefersIncrementalDelivery: Bool
    /// Whether the delegate isn't told of the parts of a body.
    var keepsBodyWhole = false
    var earliestBeginDate: Date?
    var taskDescription: String?
    var progress: LoadProgress?
    var observers = Observers<TaskValues>()
    /// Callers that wait for resume data; the end of the task answers them.
    var resumeDataHandlers: [@Sendable (Data?) -> Void] = []
    /// The session can't be used any more; the task ends with this as soon as it is started.
    var refusal: LoadError?
    /// The upload of an earlier task that this one resumes.
    var resumedUpload: UploadResumeData?
    /// What a task of a background session has besides.
    var carried: CarriedFields?
  }

  /// `URLSessionTask.priority` of a task for which it wasn't set: 0.5.
  public static let defaultPriority: Float = 0.5
  /// Below the default: 0.25.
  public static let lowPriority: Float = 0.25
  /// Above the default: 0.75.
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
    var fields = Fields(delivery: delivery, chain: chain, prefersIncrementalDelivery: !delivery.collects)
    fields.delegate = delegate
    let first = upload?.sent ?? request
    fields.currentRequest = first
    fields.upload = upload
    if let first { fields.expectedToSend = TaskProgress.expectedToSend(first) }
    self.fields = Mutex(fields)
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
      let isCarried = fields.withLock { fields in
        if case .carried = fields.lifecycle { return newValue != nil }
        guard case .unstarted = fields.lifecycle else { return false }
        fields.delegate = newValue
        fields.chain = chain ?? DelegateChain()
        return false
      }
      if isCarried { session?.background?.refuseDelegate(of: self) }
    }
  }

  /// The request that the task begins with: an upload's has its body.
  var firstRequest: LoadRequest? { fields.withLock { $0.upload }?.sent ?? original }

  /// A request that the app has made to go on with, as it is sent: an upload's has its body.
  func sendable(_ request: LoadRequest) -> LoadRequest { fields.withLock { $0.upload }?.carried(by: request) ?? request }

  /// The file that the task loads into; nil for all but download tasks.
  func makeDownload() -> Download? { nil }

  /// What makes the task's calls, where that isn't its session's.
  var deliveryPump: DelegatePump? { nil }

  /// Under which key the task's errors carry resume data.
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

  /// The app's guess of bytes to send, for scheduling. Default: `NSURLSessionTransferSizeUnknown`.
  open var countOfBytesClientExpectsToSend: Int64 {
    get { fields.withLock { $0.clientExpectsToSend } }
    set {
      change { $0.clientExpectsToSend = newValue }
      session?.background?.change(self) { $0.expectsToSend = newValue }
    }
  }

  /// The app's guess of bytes to receive, for scheduling. Default: `NSURLSessionTransferSizeUnknown`.
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
      session?.background?.change(self) { $0.description = newValue ?? "" }
    }
  }

  /// Where the task is in its life.
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
          // The async caller has yet to come: it starts the task.
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
          // The async caller has yet to come: it starts, and ends, the task.
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
