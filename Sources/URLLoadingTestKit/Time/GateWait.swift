#if TestKit
  import NIOCore

  /// A script's or request's wait at a gate. Confined to the event loop of its connection.
  struct GateWait {
    private let gate: Gate
    private let ticket: Int

    /// Comes to `gate`. nil if it is passed at once; otherwise `proceed` is called on `eventLoop` later, unless `breakOff` is called before.
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

    /// The connection is closed: opening the gate later must not reach an event loop that may have ended.
    func breakOff() { gate.leave(ticket) }
  }
#endif
