#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore
  import ProtocolRules

  // Early data: requests sent before the handshake is complete (RFC 9001, 4.6), and requests that wait for its end.

  extension HTTP3Connection {
    /// Whether the handshake isn't complete and requests are sent as early data.
    var isEarly: Bool { state.early != nil }

    /// Opens the connection for early data, before its first packet: requests that begin in this turn of the event loop go out with it.
    func beginEarly(_ means: HTTP3Means, _ acceptance: PeerAcceptance, beside alternative: AlternativeEndpoint?) {
      guard case .opening(let opening) = state else { return }
      let early = HTTP3EarlyPhase(beside: alternative)
      state = .open(early: early)
      means.slot.isUsedEarly = true
      // The facts of the resumed TLS session: they protect the early requests, and the whole connection if the server accepts early data.
      secured = HTTP3SecuredFacts(offeredBy: means.slot, acceptance)
      timings.connectEnd = clock.now
      opening.succeed()
      planFlush()
      silence.listen(for: self, isAlone: true)
      early.limit(by: clock) { [weak self, eventLoop] in
        eventLoop.execute { [weak self] in self?.missAnswer() }
      }
    }

    /// The server hasn't answered in time: the connection ends, and requests that wait for it can be sent on another one.
    private func missAnswer() {
      guard isEarly, path.lastHeard.nanoseconds == 0 else { return }
      let error = LoadError(.networkConnectionLost, .connect, "the server did not answer over QUIC")
      lose(error, ChannelError.eof, isStale: true)
    }

    /// The handshake is complete: if the server has refused the early data, its requests are sent again. Then the deferred requests begin.
    func endEarly(_ early: HTTP3EarlyPhase, _ means: HTTP3Means) {
      let wasTaken = uls_h3_early_data_was_accepted(means.pointer) != 0
      path.facts(of: means.handle).note(wasTaken ? .accepted : .refused)
      for waiting in early.end() {
        // The record had the facts of the early phase.
        waiting.exchange.context.record.connection = facts
        _ = begin(waiting.exchange, waiting.request, body: waiting.body, endsWithBody: waiting.endsWithBody, wasTaken: true)
        if let trailers = waiting.trailers { finish(waiting.exchange, trailers) }
        waiting.exchange.becameWritable()
      }
      freed()
    }

    /// None of the requests that were sent early has reached the server's application (RFC 9001, 4.6.2).
    func earlyDataRefused() {
      let lost = exchanges.streams.removeAll()
      frames?.beginAgain()
      if let means { uls_h3_keep_alive(means.pointer, 0) }
      for stream in lost { state.early?.takeBack(stream) }
    }
  }
#endif
