#if TestKit
  import NIOCore

  /// A script's or a request's wait at a gate. Confined to the event loop of its connection.
  struct GateWait {
    private let gate: Gate
    private let ticket: Int

    /// Arrives at `gate`. nil if there is no need to wait; otherwise `proceed` is called on `eventLoop` later, unless `breakOff` is called before.
    init?<Visitor: AnyObject>(
      _ gate: Gate, _ visitor: Visitor, on eventLoop: any EventLoop, proceed: @escaping @Sendable (Visitor) -> Void
    ) {
      let visitor = NIOLoopBound(Weak(visitor), eventLoop: eventLoop)
      let ticket = gate.arrive(on: eventLoop) {
        eventLoop.execute { visitor.value.object.map(proceed) }
      }
      guard let ticket else { return nil }
      self.gate = gate
      self.ticket = ticket
    }

    /// Ends the wait because the connection is closed. Otherwise, opening the gate later would call an event loop that may have been shut down.
    func breakOff() { gate.leave(ticket) }
  }
#endif
