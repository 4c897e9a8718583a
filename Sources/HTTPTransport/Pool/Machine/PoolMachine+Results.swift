// What the machine answers to an event.

extension PoolMachine {
  /// What a load that asks for a connection gets.
  package enum RequestOutcome: Equatable {
    /// This idle connection.
    case lease(ConnectionID)
    /// A place on this connection, beside the exchanges of others.
    case join(ConnectionID)
    /// It waits, and one more connection must be opened.
    case connect
    /// It waits; this idle connection, which it can't use, must be closed and another opened in its place.
    case replace(ConnectionID)
    /// It waits.
    case wait
  }

  /// What becomes of a connection that is new, or that a load is done with.
  package enum ConnectionUse: Equatable {
    /// It goes to the load that waits next.
    case serve(WaiterID)
    /// It stays open, unused.
    case park
    /// It must be closed: it can't be used again, or isn't wanted.
    case close
  }

  /// Whether the loads that wait have the connections and attempts that they need.
  package enum Supply: Equatable {
    /// One more connection must be opened.
    case connect
    case sufficient
  }

  /// What follows from an attempt that failed while a load waited.
  package struct FailedAttempt: Equatable {
    /// The load whose wait ends with the error.
    package let waiter: WaiterID
    /// Whether others still need an attempt.
    package let reconnect: Bool

    package init(waiter: WaiterID, reconnect: Bool) {
      self.waiter = waiter
      self.reconnect = reconnect
    }
  }
}
