#if HTTP3
  import CLoadingQUIC
  import LoadingModel
  import NIOCore

  // Other paths to the server (RFC 9000, 9): the connection outlives the network it was made on.

  extension HTTP3Connection {
    func confirmed() { isConfirmed = true }

    package func pathsVanished(_ addresses: Set<String>) {
      guard let socket = means?.socket, !socket.isOpen || (socket.localAddress?.ipAddress.map(addresses.contains) ?? false) else { return }
      migrate(evenIfSame: true)
    }

    package func networkChanged() { migrate(evenIfSame: !(means?.socket.isOpen ?? true)) }

    /// The socket is closed: with another one the connection may go on.
    ///
    /// - Returns: Whether that may be.
    func replaceSocket() -> Bool {
      switch state {
      case .open, .leaving: break
      case .opening, .closed: return false
      }
      guard isConfirmed else { return false }
      migrate(evenIfSame: true)
      return true
    }

    /// Takes the path that the system prefers now, if there is one.
    private func migrate(evenIfSame: Bool) {
      guard let means, let remote = means.socket.remoteAddress, !isMigrating else { return }
      switch state {
      case .open, .leaving: break
      case .opening, .closed: return
      }
      guard isConfirmed else { return }
      isMigrating = true
      let purpose = SocketPurpose(traffic: destination.traffic)
      QUICSocket.open(to: remote, on: eventLoop, settings: sockets, traffic: purpose) { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(QUICSocket()) }
      }.whenComplete { [weak self] result in
        guard let self else { return (try? result.get())?.close(promise: nil) ?? () }
        isMigrating = false
        // Without a way to the server the connection waits for the next change, as long as its silence may last.
        guard case .success(let channel) = result else { return }
        take(channel, evenIfSame: evenIfSame)
      }
    }

    private func take(_ channel: any Channel, evenIfSame: Bool) {
      guard var means, let socket = try? channel.pipeline.syncOperations.handler(type: QUICSocket.self), var path = socket.path,
        evenIfSame || socket.localAddress?.ipAddress != means.socket.localAddress?.ipAddress
      else { return channel.close(promise: nil) }
      guard uls_h3_migrate(means.pointer, &path, eventLoop.quicTime) != 0 else { return channel.close(promise: nil) }
      let old = means.socket
      means.socket = socket
      self.means = means
      socket.attach(self)
      noteMove(from: old.localAddress, to: socket.localAddress)
      old.close()
      flush()
    }

    /// The server has answered over another path, or can't be reached over it.
    func pathChanged(isValid: Bool) {
      // Of the one that is left there is nothing to go back to.
      if !isValid { hasLostPath = true }
    }
  }
#endif
