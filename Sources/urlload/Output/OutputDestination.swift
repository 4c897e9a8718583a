/// Where a body is written.
enum OutputDestination: Sendable, Equatable {
  case standardOutput
  case file(String)
  /// A file of the current directory, with the name in the URL that was given.
  case remoteName
  /// A file of the current directory, with the name that the response suggests.
  case suggestedName
}
