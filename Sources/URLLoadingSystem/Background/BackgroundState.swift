@preconcurrency import Dispatch
import BackgroundTransfers
import LoadingModel

/// What changes in a background session: behind its lock. A value.
struct BackgroundState {
  enum Finishing {
    case open
    /// The daemon is told when it knows all tasks: it takes none after that.
    case owed
    case told
  }

  var attachment = DaemonAttachment()
  weak var session: URLSession?
  /// The tasks that the daemon carries, and its events.
  var tasks = CarriedTable<URLSessionTask>()
  /// Where taken events are noted; nil before the first attachment.
  var journal: TakenJournalWriter?
  var missedEvents = 0
  /// Whether the daemon has to be told that the session is cancelled, and hasn't said that it knows.
  var owesInvalidation = false
  /// Whether the app has finished the session, and the daemon of this attachment been told.
  var finishing = Finishing.open
  /// Threads of the app's that wait for the daemon to come back.
  var waiters: [DispatchSemaphore] = []

  /// A daemon has answered, which may know nothing.
  mutating func attach() {
    tasks.attach()
    if finishing == .told { finishing = .owed }
  }

  /// Whether the daemon is to be told now that the session takes no more tasks.
  mutating func tellsFinish() -> Bool {
    guard finishing == .owed, attachment.link != nil, !tasks.hasUnknown else { return false }
    finishing = .told
    return true
  }

  /// Signalled when something about the link to the daemon has changed.
  mutating func newWaiter() -> DispatchSemaphore {
    let waiter = DispatchSemaphore(value: 0)
    waiters.append(waiter)
    return waiter
  }
}
