#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // Datagrams and wakes: what the C layer is fed with, and when it may send. And other paths, by which the connection outlives the network
  // that it was made on.

  extension HTTP3Connection {
    /// Datagrams that have come together.
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

    /// The socket has nothing more for now.
    func readComplete() {
      deliver()
      flush()
    }

    /// Calls the C layer, whose events come meanwhile, and does what they have asked for.
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
      if let means { inbox.deliver(means.handle, at: path.lastHeard) }
    }

    func planFlush() {
      if means != nil { outbox.planFlush(of: self) }
    }

    /// Brings to the socket what can be sent now, and plans the next wake.
    func flush() {
      guard let means, !state.isClosed, !means.handle.isInCall else { return }
      conclude(outbox.write(means.handle, to: path.socket, hasStreams: !streams.isEmpty))
      guard self.means != nil else { return }
      outbox.planWake(of: self, means.handle, hasSocket: path.socket.isOpen)
      outbox.wakeProducers(means.handle, among: streams)
      outbox.settleWrites(means.handle, among: streams)
      closeIfLeft()
    }

    func timerFired() {
      guard let means else { return }
      let now = eventLoop.quicTime
      // It may have been put off since.
      if uls_h3_expiry(means.pointer) <= now {
        call(means.handle) { uls_h3_expire($0, now) }
        deliver()
      }
      flush()
    }

    // MARK: other paths (RFC 9000, 9)

    package func pathsVanished(_ addresses: Set<String>) {
      if path.isLost(with: addresses) { path.move(for: self, evenIfSame: true, addresses) }
    }

    package func networkChanged() { path.move(for: self, evenIfSame: !path.socket.isOpen) }

    /// The server has answered over another path, or can't be reached over it.
    func pathChanged(isValid: Bool) {
      // Of the one that is left there is nothing to go back to.
      if !isValid { pendingEnd = .pathLost }
    }

    package var facts: ConnectionFacts { path.facts(of: means?.handle, secured, peer: timings.peer) }
  }

  extension HTTP3Connection: HTTP3Traveller {
    var handle: QUICHandle? { means?.handle }

    func moved(from old: QUICSocket) {
      path.socket.attach(self)
      silence.moved()
      old.close()
      flush()
    }
  }
#endif
