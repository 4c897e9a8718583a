@preconcurrency import Dispatch
import BackgroundTransfers
import LoadingModel

/// What changes in a background session: behind its lock. A value.
struct BackgroundState {
  var attachment = DaemonAttachment()
  weak var session: URLSession?
  /// The tasks that the daemon carries, and its events.
  var tasks = CarriedTable<URLSessionTask>()
  /// Where taken events are noted; nil before the first attachment.
  var journal: TakenJournalWriter?
  var missedEvents = 0
  /// Whether the daemon has to be told that the session is cancelled, and hasn't said that it knows.
  var owesInvalidation = false
  /// Threads of the app's that wait for the daemon to come back.
  var waiters: [DispatchSemaphore] = []

  /// Signalled when something about the link to the daemon has changed.
  mutating func newWaiter() -> DispatchSemaphore {
    let waiter = DispatchSemaphore(value: 0)
    waiters.append(waiter)
    return waiter
  }
}
