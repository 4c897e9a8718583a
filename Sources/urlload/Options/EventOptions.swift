/// What `urlload sse` is asked for beyond a request.
struct EventOptions: Sendable {
  var form = EventForm.all
  /// Whether the end of the connection is the end.
  var isOnce = false
  var lastID: String?
}

/// How events are written.
enum EventForm: Sendable {
  /// Type and id, where they are given, and the data; then an empty line.
  case all
  case data
  case jsonLines
}
