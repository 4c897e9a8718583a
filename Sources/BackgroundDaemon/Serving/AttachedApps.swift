import BackgroundTransfers

/// The apps that are there: the connection of each session. Confined to the daemon's queue.
final class AttachedApps: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// By session.
  var all: [Int64: AppAttachment] = [:]

  subscript(session: Int64) -> AppAttachment? { all[session] }

  /// Whether the app still has its session, by this connection.
  func has(_ app: AppAttachment) -> Bool { all[app.session] === app }

  /// Tells the session's app, if it is there. Where it is still being told what it missed, this event is among the last of it.
  func tell(_ event: TransferEvent, in session: Int64) {
    guard let app = all[session], case .present = app.telling else { return }
    app.send(event)
  }
}
