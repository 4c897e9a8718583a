import Synchronization
import URLLoadingSystem

/// What the loads of a run share. Thread-safe.
final class FetchContext: Sendable {
  let plan: RequestPlan
  let session: URLSession
  let interruption: Interruption
  /// Where several loads at once show their progress.
  let board: ProgressBoard?
  private let transfers = Mutex<[Transfer]>([])

  init(plan: RequestPlan, session: URLSession, interruption: Interruption, board: ProgressBoard?) {
    self.plan = plan
    self.session = session
    self.interruption = interruption
    self.board = board
  }

  func add(_ transfer: Transfer) { transfers.withLock { $0.append(transfer) } }

  func remove(_ transfer: Transfer) { transfers.withLock { $0.removeAll { $0 === transfer } } }

  /// Ends all outputs without completing them.
  func discard() {
    for transfer in transfers.withLock({ $0 }) { transfer.discard() }
  }
}
