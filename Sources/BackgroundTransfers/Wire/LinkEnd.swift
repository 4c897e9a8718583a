/// Why a connection is over.
package enum LinkEnd: Sendable, Equatable {
  /// One of the two sides has closed it.
  case closed
  /// The peer has sent what isn't a message; the text says what was wrong.
  case damaged(String)
  /// The peer doesn't read: more than `MessageLink.maximumUnsent` bytes wait for it, or more than for any other while all connections
  /// together hold too much (`LinkBudget`).
  case overfull
}
