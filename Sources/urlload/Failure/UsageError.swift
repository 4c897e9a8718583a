/// An error in a command line. The message is one line, and says what to do.
struct UsageError: Error, Sendable, Equatable {
  let message: String

  init(_ message: String) { self.message = message }
}
