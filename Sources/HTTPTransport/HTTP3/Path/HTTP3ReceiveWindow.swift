#if HTTP3
  /// The flow-control window of a whole connection: it isn't widened while the exchanges have too many unread bytes.
  ///
  /// A value that only counts bytes.
  struct HTTP3ReceiveWindow {
    /// Bytes that may wait unread in all of a connection's exchanges.
    static let unreadLimit = 32 << 20

    /// Bytes received that their exchanges haven't read.
    private var unread = 0
    /// Bytes by which the window will be widened once enough has been read.
    private var owed = 0

    /// Counts received bytes. Returns the number of bytes by which to widen the window now.
    mutating func received(_ count: Int) -> Int {
      unread += count
      if unread <= HTTP3ReceiveWindow.unreadLimit { return count }
      owed += count
      return 0
    }

    /// Counts bytes that have been read or discarded. Returns the number of bytes by which to widen the window now.
    mutating func read(_ count: Int) -> Int {
      unread -= count
      guard owed > 0, unread <= HTTP3ReceiveWindow.unreadLimit else { return 0 }
      defer { owed = 0 }
      return owed
    }
  }
#endif
