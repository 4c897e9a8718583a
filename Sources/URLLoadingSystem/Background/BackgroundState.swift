@preconcurrency import Dispatch
import BackgroundTransfers
import LoadingModel

/// The mutable state of a background session, guarded by its lock. A value type.
struct BackgroundState {
  enum Finishing {
    case open
    /// The session takes no more tasks; the daemon will be told once it knows all tasks, since it accepts none after that.
    case owed
    case told
  }

  var attachment = DaemonAttachment()
  weak var session: URLSession?
  /// The tasks that the daemon carries, and its events.
  var tasks = CarriedTable<URLSessionTask>()
  /// The journal in which acknowledged events are noted; nil before the first attachment.
  var journal: TakenJournalWriter?
  var missedEvents = 0
  /// Whether the session has been cancelled and the daemon hasn't confirmed that yet.
  var owesInvalidation = false
  /// Whether the app has finished the session, and whether the daemon to which it is attached has been told.
  var finishing = Finishing.open
  /// Semaphores of the app's threads that wait for the daemon to come back.
  var waiters: [DispatchSemaphore] = []

  /// Notes that a daemon has accepted the session. It may be a new one that knows none of the tasks.
  mutating func attach() {
    tasks.attach()
    if finishing == .told { finishing = .owed }
  }

  /// Whether the daemon is to be told now that the session takes no more tasks; if so, that counts as done.
  mutating func tellsFinish() -> Bool {
    guard finishing == .owed, attachment.link != nil, !tasks.hasUnknown else { return false }
    finishing = .told
    return true
  }

  /// Makes a semaphore that is signalled at the next change of the connection to the daemon.
  mutating func newWaiter() -> DispatchSemaphore {
    let waiter = DispatchSemaphore(value: 0)
    waiters.append(waiter)
    return waiter
  }
}
