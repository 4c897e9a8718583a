#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // What metrics and `urlload -v` are told of a connection.

  extension HTTP3Connection {
    package var facts: ConnectionFacts {
      let local = means?.socket.localAddress
      let remote = means?.socket.remoteAddress ?? timings.peer
      return ConnectionFacts(
        localAddress: local?.ipAddress, localPort: local?.port, remoteAddress: remote?.ipAddress, remotePort: remote?.port,
        tlsVersion: secured.version, tlsCipherSuite: secured.suite, isTLSResumed: secured.isResumed,
        isTrustOverridden: peerAcceptance.isOverridden, quic: knownQUIC)
    }

    /// One object for all the exchanges: what happens later is told to those that have begun.
    private var knownQUIC: QUICFacts? {
      if let quic { return quic }
      guard let means else { return nil }
      let facts = QUICFacts(version: uls_h3_version(means.pointer))
      quic = facts
      return facts
    }

    /// The server has said whether it takes what was sent early.
    func noteEarlyData(wasTaken: Bool) { knownQUIC?.note(wasTaken ? .accepted : .refused) }

    func noteMove(from old: SocketAddress?, to new: SocketAddress?) {
      guard let old = old?.ipAddress, let new = new?.ipAddress else { return }
      knownQUIC?.note(QUICFacts.Move(from: old, to: new))
    }
  }
#endif
