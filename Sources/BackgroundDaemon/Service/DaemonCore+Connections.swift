import BackgroundTransfers
@preconcurrency import Dispatch
import Foundation

// Accepts connections, and hands each message to the desk that serves the connection's kind of client.

extension DaemonCore {
  /// Seconds in which a new connection has to send its first message, and in which the peer has to read a refusal before the connection is closed.
  private static let helloPatience = 10.0

  func accept(_ link: MessageLink) {
    let connection = Connection(link)
    // The link's queue blocks on the daemon's queue: a peer that sends faster than the disk stores isn't read from meanwhile.
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
      // The first message may have been handled, and refused, before this block runs: the link closes itself once the refusal is sent.
      guard !connection.isOver else { return }
      connections[ObjectIdentifier(connection)] = connection
      considerIdleness()
    }
  }

  private static func decode(_ piece: Data) -> Result<AppMessage, Refusal> {
    Result { () throws(Refusal) in try MessageCoding.decode(AppMessage.self, from: piece) }
  }

  /// Handles all messages of one read: their changes are one commit, and the replies are sent after it.
  func received(_ messages: [Result<AppMessage, Refusal>], on connection: Connection) {
    dispatchPrecondition(condition: .onQueue(loop))
    guard isServing, !connection.isOver else { return }
    // The first message may come before the block that `accept` has queued: the connection is registered here then.
    connections[ObjectIdentifier(connection)] = connection
    let batch = MessageBatch()
    do {
      try queue.transaction { _ in
        for message in messages where !connection.isOver { try handle(message, on: connection, batch) }
      }
    } catch let refusal as Refusal {
      // The transaction was rolled back, so none of its messages gets a reply: the connection is refused.
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
      // The changes of the messages before the refused one stay.
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

  /// Detaches the connection from both desks; later messages on it are ignored.
  func leave(_ connection: Connection) {
    toolDesk.leave(connection)
    connection.role = .over
    appDesk.leave(connection)
  }
}
