import BackgroundTransfers
import Foundation

/// Hands new transfers to the daemon: attaches the tool's own background session as an app does, and ends without waiting for the transfers.
struct BackgroundAddition {
  /// Seconds to wait while another `urlload background add` has the session attached, and seconds between two attempts to attach it.
  private static let patience = 15.0
  private static let pause = 0.05

  private let terms: SessionTerms

  init(_ terms: SessionTerms) { self.terms = terms }

  /// Adds the transfers; returns when all are on the daemon's disk, and resumed.
  ///
  /// Each is resumed by its identifier in the daemon, which acknowledges that. The identifiers are read from the list before the first is resumed,
  /// because a short transfer may end, and vanish from the list, at once.
  func add(_ drafts: [TransferDraft], _ places: BackgroundPlaces) throws(ToolFailure) -> [TransferListing] {
    let (app, firstTask) = try attach(places)
    var orders = drafts.map(\.order)
    for index in orders.indices { orders[index].task = firstTask + index }
    for order in orders { try app.send(.create(order)) }
    try awaitCreation(of: Set(orders.map(\.task)), app)
    let tool = try DaemonConnection(places)
    var added = try listings(of: orders, tool)
    for listing in added { try tool.send(.tool(.resume(listing.identifier))) }
    for index in added.indices {
      if case .failed(let text) = try tool.reply() { throw ToolFailure(.other, "transfer \(added[index].identifier) can't begin: \(text)") }
      added[index].phase = .waiting
    }
    return added
  }

  /// Attaches the session. Waits while another process has it.
  /// - Returns: The connection, and the lowest task identifier that no task has had.
  func attach(_ places: BackgroundPlaces) throws(ToolFailure) -> (DaemonConnection, firstTask: Int) {
    let end = ContinuousClock.now + .seconds(BackgroundAddition.patience)
    while true {
      let connection = try DaemonConnection(places)
      switch try answer(connection) {
      case .attached(let firstTask): return (connection, firstTask)
      case .refused(let failure): if ContinuousClock.now > end { throw failure }
      }
      usleep(UInt32(BackgroundAddition.pause * 1_000_000))
    }
  }

  private enum Answer {
    case attached(firstTask: Int)
    /// Tried again for a while: another process has the session, or the daemon has just ended.
    case refused(ToolFailure)
  }

  private func answer(_ connection: DaemonConnection) throws(ToolFailure) -> Answer {
    let attachment = Attachment(
      terms: terms, answersChallenges: false, answersDelays: false, wasLaunched: false, process: getpid())
    do throws(ToolFailure) {
      try connection.send(.attach(attachment))
      while true {
        switch try connection.next() {
        case .attached(let snapshot): return .attached(firstTask: max(1, snapshot.nextTask))
        case .refused(let refusal):
          let failure = connection.failure(refusal)
          guard refusal.reason == .sessionInUse || failure.status == .connectionLost else { throw failure }
          return .refused(failure)
        default: continue
        }
      }
    } catch {
      guard error.status == .connectionLost else { throw error }
      return .refused(error)
    }
  }

  private func awaitCreation(of tasks: Set<Int>, _ app: DaemonConnection) throws(ToolFailure) {
    var missing = tasks
    while !missing.isEmpty {
      switch try app.next() {
      case .created(let task): missing.remove(task)
      case .refused(let refusal): throw app.failure(refusal)
      case .event(let event) where event.isRefusal: throw ToolFailure(.other, event.outcome.error?.description ?? "")
      default: continue
      }
    }
  }

  private func listings(of orders: [TransferOrder], _ tool: DaemonConnection) throws(ToolFailure) -> [TransferListing] {
    let own = try tool.list().filter { $0.app == terms.app.name && $0.session == terms.identifier }
    let byTask = Dictionary(own.map { ($0.task, $0) }, uniquingKeysWith: { $1 })
    let listings = orders.compactMap { byTask[$0.task] }
    guard listings.count == orders.count else {
      throw ToolFailure(.other, "urlsessiond doesn't list all that was added: it has too many transfers; wait until some have ended")
    }
    return listings
  }
}
