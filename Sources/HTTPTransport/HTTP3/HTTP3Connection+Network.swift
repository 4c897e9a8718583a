#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // Received datagrams, timers and sending. Also connection migration, by which the connection survives the loss of the network that it was made
  // on.

  extension HTTP3Connection {
    /// Passes datagrams that were received in one read to the C layer.
    func read(_ datagrams: JoinedDatagrams, ecn: CInt, _ addresses: uls_h3_path) {
      guard let means, !state.isClosed else { return }
      path.heard(at: clock.now)
      var addresses = addresses
      let now = eventLoop.quicTime
      datagrams.forEach { datagram in
        guard self.means != nil else { return }
        call(means.handle) { uls_h3_read($0, &addresses, ecn, datagram, now) }
        if uls_h3_was_heard(means.pointer) != 0 { silence.heard(at: path.lastHeard) }
      }
    }

    /// All datagrams of this read event have been passed on: delivers their data to the exchanges and sends packets.
    func readComplete() {
      deliver()
      flush()
    }

    /// Calls the C layer, which reports events during the call, and afterwards handles an end of the connection that came up in them.
    func call(_ handle: QUICHandle, _ body: (OpaquePointer) -> uls_h3_state) { conclude(handle.call(body)) }

    private func conclude(_ result: uls_h3_state) {
      guard result != ULS_H3_OPEN || pendingEnd != nil else { return }
      deliver()
      if result != ULS_H3_OPEN { return ended(result) }
      switch pendingEnd.take() {
      case .pathLost: lose(nil, PathLoss())
      case .close: close()
      case nil: break
      }
    }

    private func deliver() {
      if let means { exchanges.inbox.deliver(means.handle, at: path.lastHeard) }
    }

    func planFlush() {
      if means != nil { outbox.planFlush(of: self) }
    }

    /// Sends the packets that can be sent now, and plans the next timer.
    func flush() {
      guard let means, !state.isClosed, !means.handle.isInCall else { return }
      conclude(outbox.write(means.handle, to: path.socket, hasStreams: !exchanges.streams.isEmpty))
      guard self.means != nil else { return }
      outbox.planWake(of: self, means.handle, hasSocket: path.socket.isOpen)
      outbox.wakeProducers(means.handle, among: exchanges.streams)
      outbox.settleWrites(means.handle, among: exchanges.streams)
      closeIfLeft()
      if path.isCutOff { cutOff() }
    }

    func timerFired() {
      guard let means else { return }
      let now = eventLoop.quicTime
      // The timer may have been postponed after it was set.
      if uls_h3_expiry(means.pointer) <= now {
        call(means.handle) { uls_h3_expire($0, now) }
        deliver()
      }
      flush()
    }

    // MARK: connection migration (RFC 9000, 9)

    package func pathsVanished(_ addresses: Set<String>) {
      guard let means, path.isLost(with: addresses) else { return }
      if path.isMovable(means.handle) { path.move(for: self, evenIfSame: true, addresses) } else { stranded() }
    }

    /// The connection has migrated to a network that not every load may use.
    package func losePath(of isBarred: (ConnectionTerms) -> Bool) {
      for stream in exchanges.streams.from(0) where isBarred(stream.exchange.context.terms) {
        exchanges.abandon(stream, of: self)
        stream.exchange.fail(stream.failure(by: PathLoss()))
      }
      planFlush()
      freed()
    }

    package func networkChanged() { path.move(for: self, evenIfSame: !path.socket.isOpen) }

    /// Path validation has succeeded, or has failed.
    func pathChanged(isValid: Bool) {
      // The former path was given up, so that a failed validation ends the connection.
      if !isValid { pendingEnd = .pathLost }
    }

    package var facts: ConnectionFacts {
      if let knownFacts { return knownFacts }
      let facts = path.facts(of: means?.handle, secured, peer: timings.peer)
      knownFacts = facts
      return facts
    }
  }

  extension HTTP3Connection: HTTP3Traveller {
    var handle: QUICHandle? { means?.handle }

    func moved(from old: QUICSocket) {
      knownFacts = nil
      path.socket.attach(self)
      silence.moved()
      old.close()
      flush()
      if exchanges.streams.areRestricted { owner?.connectionMoved(self) }
    }

    func stranded() { lose(nil, PathLoss()) }

    /// Exchanges wait for a network. Without any the connection ends: another one can be made to another address of the server, and sooner.
    func cutOff() {
      if openStreams == 0 { stranded() }
    }
  }
#endif
