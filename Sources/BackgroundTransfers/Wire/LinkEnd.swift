/// Why a connection has ended.
package enum LinkEnd: Sendable, Equatable {
  /// One of the two sides has closed it.
  case closed
  /// The peer has sent bytes that aren't a message; the text says what was wrong.
  case damaged(String)
  /// The peer doesn't read: more than `MessageLink.maximumUnsent` bytes wait for it, or all connections together hold too much (`LinkBudget`), and
  /// this one holds the most.
  case overfull
}
