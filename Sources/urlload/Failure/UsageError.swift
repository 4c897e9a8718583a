/// What is wrong with a command line, in one line that says what to do.
struct UsageError: Error, Sendable, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
