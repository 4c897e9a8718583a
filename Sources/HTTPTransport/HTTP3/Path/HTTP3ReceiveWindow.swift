#if HTTP3
  /// How much a server may send on all streams of a connection together: its window is held back where too much waits unread.
  ///
  /// A value; counts bytes alone.
  struct HTTP3ReceiveWindow {
    /// Bytes that may wait unread in all of a connection's exchanges.
    static let unreadLimit = 32 << 20

    /// Received, and unread by its exchange.
    private var unread = 0
    /// Bytes of the window that are held back until some are read.
    private var owed = 0

    /// Bytes have come. Returns how many the server may send for them now.
    mutating func received(_ count: Int) -> Int {
      unread += count
      if unread <= HTTP3ReceiveWindow.unreadLimit { return count }
      owed += count
      return 0
    }

    /// Bytes have been read, or given up. Returns how many the server may send for those that were held back.
    mutating func read(_ count: Int) -> Int {
      unread -= count
      guard owed > 0, unread <= HTTP3ReceiveWindow.unreadLimit else { return 0 }
      defer { owed = 0 }
      return owed
    }
  }
#endif
