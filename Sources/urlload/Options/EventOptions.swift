/// The options of `urlload sse` about events.
struct EventOptions: Sendable {
  var form = EventForm.all
  /// Whether the command ends with the connection, and doesn't connect again.
  var isOnce = false
  var lastID: String?
}

/// The form in which events are written.
enum EventForm: Sendable {
  /// Type and id, if the event has them, and the data; then an empty line.
  case all
  case data
  case jsonLines
}
