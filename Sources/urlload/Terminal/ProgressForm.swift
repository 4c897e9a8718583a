/// How progress is shown (`--progress`).
enum ProgressForm: Sendable {
  case bar
  /// A JSON object a line, whether the output is a terminal or not.
  case json
}
