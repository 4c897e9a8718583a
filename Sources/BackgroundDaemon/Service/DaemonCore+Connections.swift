import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

// Connections, and whose messages they carry.

extension DaemonCore {
  /// Seconds in which a connection has to say whose it is, and in which a refusal has to be read.
  private static let helloPatience = 10.0

  func accept(_ link: MessageLink) {
    let connection = Connection(link)
    // The link's queue waits for the daemon's: a peer that sends faster than the disk takes is held back.
    loop.asyncAfter(deadline: .now() + DaemonCore.helloPatience) { [weak connection] in
      guard let connection, case .new = connection.role else { return }
      connection.link.close()
    }
    link.start { [weak self] pieces in
      let messages = pieces.map(DaemonCore.decode)
      guard let self else { return }
      loop.sync { self.received(messages, on: connection) }
    } ended: { [weak self] end in
      guard let self else { return }
      loop.async { self.hasClosed(connection, end) }
    }
    loop.async { [weak self] in
      guard let self, isServing else { return link.close() }
      // Its first message may have come before, and have been refused: the refusal is still on its way.
      guard !connection.isOver else { return }
      connections[ObjectIdentifier(connection)] = connection
      considerIdleness()
    }
  }

  private static func decode(_ piece: Data) -> Result<AppMessage, Refusal> {
    Result { () throws(Refusal) in try MessageCoding.decode(AppMessage.self, from: piece) }
  }

  /// All messages of one read: one commit, then the replies.
  func received(_ messages: [Result<AppMessage, Refusal>], on connection: Connection) {
    dispatchPrecondition(condition: .onQueue(loop))
    guard isServing, !connection.isOver else { return }
    // Also a connection whose first message comes before `accept` has had its turn.
    connections[ObjectIdentifier(connection)] = connection
    let batch = MessageBatch()
    do {
      try queue.transaction { _ in
        for message in messages where !connection.isOver { try handle(message, on: connection, batch) }
      }
    } catch let refusal as Refusal {
      // Nothing of the batch has been kept: nothing of it is answered.
      return refuse(connection, refusal)
    } catch {
      report("the queue can't be written: \(error)")
      return refuse(connection, Refusal(.storage, "The background sessions' daemon can't write to its disk: \(error)"))
    }
    batch.perform()
  }

  private func handle(_ message: Result<AppMessage, Refusal>, on connection: Connection, _ batch: MessageBatch) throws {
    do {
      let message = try message.get()
      switch connection.role {
      case .over: break
      case .new: try open(connection, with: message, batch)
      case .waiting: throw DaemonCore.misplaced
      case .app(let app): try appDesk.orders.handle(message, from: app, batch)
      case .tool:
        guard case .tool(let request) = message else { throw DaemonCore.misplaced }
        try toolDesk.handle(request, on: connection, batch)
      }
    } catch let refusal as Refusal where refusal.reason != .storage {
      // What came before it holds.
      connection.role = .over
      batch.afterCommit { [weak self] in self?.refuse(connection, refusal) }
    }
  }

  private static var misplaced: Refusal {
    Refusal(.badMessage, "The message isn't allowed here: a connection begins with attach or tool, and stays what it is.")
  }

  private func open(_ connection: Connection, with message: AppMessage, _ batch: MessageBatch) throws {
    switch message {
    case .attach(let attachment): try appDesk.sessions.attach(attachment, on: connection, batch)
    case .tool(let request):
      connection.role = .tool
      try toolDesk.handle(request, on: connection, batch)
    default: throw DaemonCore.misplaced
    }
  }

  func refuse(_ connection: Connection, _ refusal: Refusal) {
    leave(connection)
    connection.link.send(DaemonMessage.refused(refusal))
    connection.link.closeAfterSending()
    loop.asyncAfter(deadline: .now() + DaemonCore.helloPatience) { [weak connection] in connection?.link.close() }
  }

  private func hasClosed(_ connection: Connection, _ end: LinkEnd) {
    if case .overfull = end { report("a peer that didn't read was cut off") }
    leave(connection)
    connections[ObjectIdentifier(connection)] = nil
    guard isServing else { return }
    considerIdleness()
  }

  /// The connection serves nothing any more.
  func leave(_ connection: Connection) {
    toolDesk.leave(connection)
    connection.role = .over
    appDesk.leave(connection)
  }
}
