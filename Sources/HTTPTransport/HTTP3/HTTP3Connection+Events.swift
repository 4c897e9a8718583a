#if HTTP3
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Events of the C layer about the connection as a whole; `HTTP3Exchanges` has those of its streams.

  extension HTTP3Connection {
    func gainedStreams() {
      if isOpen { owner?.connectionGainedStreams(self) }
    }

    /// GOAWAY.
    /// - Parameter first: The server doesn't process streams from this id on.
    func goingAway(_ first: Int64) {
      switch state {
      case .opening(var opening):
        opening.isLeaving = true
        state = .opening(opening)
      case .open(let early):
        state = .leaving(early: early)
        owner?.connectionGoesAway(self)
      case .leaving, .closed: break
      }
      for stream in exchanges.streams.from(first) {
        exchanges.abandon(stream, of: self)
        stream.exchange.fail(TransportErrors.notLookedAt(hasAnswered: hasAnswered || first > 0))
      }
      planFlush()
    }
  }
#endif
