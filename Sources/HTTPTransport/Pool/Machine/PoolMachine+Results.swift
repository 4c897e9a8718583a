// The machine's answers to events: what the pool has to do.

extension PoolMachine {
  /// The answer to a load's request for a connection.
  package enum RequestOutcome: Equatable {
    /// The load gets this idle connection.
    case lease(ConnectionID)
    /// The load gets a stream on this multiplexed connection.
    case join(ConnectionID)
    /// The load waits, and the pool has to open one more connection.
    case connect
    /// The load waits. The pool has to close this idle connection, which the load can't use, and open another one in its place.
    case replace(ConnectionID)
    /// The load waits; enough attempts are under way.
    case wait
  }

  /// What the pool does with a connection that is new or whose exchange has ended.
  package enum ConnectionUse: Equatable {
    /// It serves this load, which has waited.
    case serve(WaiterID)
    /// It stays open and idle.
    case park
    /// The pool closes it: it can't be used again, or isn't needed.
    case close
  }

  /// Whether the pool has to begin another attempt for the loads that wait.
  package enum Supply: Equatable {
    /// The pool has to open one more connection.
    case connect
    case sufficient
  }

  /// The consequences of a failed attempt while loads were waiting.
  package struct FailedAttempt: Equatable {
    /// The load whose wait ends with the error.
    package let waiter: WaiterID
    /// Whether the pool has to begin another attempt for the other loads.
    package let reconnect: Bool

    package init(waiter: WaiterID, reconnect: Bool) {
      self.waiter = waiter
      self.reconnect = reconnect
    }
  }
}
