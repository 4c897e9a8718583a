#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Requests that are sent before the handshake is over (RFC 9001, 4.6), and those that wait for it.

  extension HTTP3Connection {
    /// Whether requests are sent before the server has answered at all.
    var isEarly: Bool { state.early != nil }

    /// Requests join the first packet: they are begun in this turn of the loop, or soon after.
    func beginEarly(_ means: HTTP3Means, _ acceptance: PeerAcceptance, beside alternative: AlternativeEndpoint?) {
      guard case .opening(let opening) = state else { return }
      let early = HTTP3EarlyPhase(beside: alternative)
      state = .open(early: early)
      means.slot.isUsedEarly = true
      // What the exchanges that begin now are protected by, and the connection as well if the server takes them.
      secured = HTTP3SecuredFacts(offeredBy: means.slot, acceptance)
      timings.connectEnd = clock.now
      opening.succeed()
      planFlush()
      early.limit(by: clock) { [weak self, eventLoop] in
        eventLoop.execute { [weak self] in self?.missAnswer() }
      }
    }

    /// What waits for the server is sent again elsewhere.
    private func missAnswer() {
      guard isEarly, path.lastHeard.nanoseconds == 0 else { return }
      let error = LoadError(.networkConnectionLost, .connect, "the server did not answer over QUIC")
      lose(error, ChannelError.eof, isStale: true)
    }

    /// The server has taken what was sent early, or it is sent again; what could not be sent early follows.
    func endEarly(_ early: HTTP3EarlyPhase, _ means: HTTP3Means) {
      let wasTaken = uls_h3_early_data_was_accepted(means.pointer) != 0
      path.facts(of: means.handle).note(wasTaken ? .accepted : .refused)
      for waiting in early.end() {
        // What was noted was that of the early data.
        waiting.exchange.context.record.connection = facts
        _ = begin(waiting.exchange, waiting.request, body: waiting.body, endsWithBody: waiting.endsWithBody, wasTaken: true)
        if let trailers = waiting.trailers { finish(waiting.exchange, trailers) }
        waiting.exchange.becameWritable()
      }
      freed()
    }

    /// None of the requests that were sent early has reached the server's application (RFC 9001, 4.6.2).
    func earlyDataRefused() {
      let lost = streams.removeAll()
      frames?.beginAgain()
      if let means { uls_h3_keep_alive(means.pointer, 0) }
      for stream in lost { state.early?.takeBack(stream) }
    }
  }
#endif
