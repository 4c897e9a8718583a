import BackgroundTransfers

/// The attached apps: one connection for each session. Confined to the daemon's queue.
final class AttachedApps: @unchecked Sendable {
  // @unchecked: confined to the daemon's queue.

  /// By session identifier.
  var all: [Int64: AppAttachment] = [:]

  subscript(session: Int64) -> AppAttachment? { all[session] }

  /// Whether the app still has its session, by this connection.
  func has(_ app: AppAttachment) -> Bool { all[app.session] === app }

  /// Sends the event if the session's app is attached and has caught up. An app that is still being told missed events gets it from the database,
  /// after them.
  func tell(_ event: TransferEvent, in session: Int64) {
    guard let app = all[session], case .present = app.telling else { return }
    app.send(event)
  }
}
