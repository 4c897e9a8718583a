/// How progress is shown.
enum ProgressForm: Sendable {
  case bar
  /// An object a line, on a terminal or not.
  case json
}
