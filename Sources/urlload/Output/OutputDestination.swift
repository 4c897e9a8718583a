/// Where a body is written.
enum OutputDestination: Sendable, Equatable {
  case standardOutput
  case file(String)
  /// A file in the current folder, with the name in the URL that the user gave (`-O`).
  case remoteName
  /// A file in the current folder, with the name that the response suggests (`-J`).
  case suggestedName
}
