import LoadingModel
import NIOCore

// Writing. Bytes are sent as fast as the socket takes them; small writes that are queued together share a system call.

extension StreamSession {
  package func becameWritable() { pump() }

  func pumpWrites() {
    var hasWritten = false
    while moves, let source, let step = writes.first {
      switch step {
      case .close:
        // Closing waits until the system has taken all pieces, as NIO would drop those that haven't been written.
        guard piecesInFlight == 0 else { break }
        writes.removeFirst()
        performCloseWrite(source)
        continue
      case .write(let write):
        guard case .open = outbound else {
          writes.removeFirst()
          write.fail(.streamClosed)
          continue
        }
        guard source.isWritable else { break }
        hand(over: write, to: source)
        hasWritten = true
        continue
      }
      break
    }
    if hasWritten { source?.flush() }
  }

  private func hand(over write: StreamWrite, to source: any StreamSource) {
    let piece = write.nextPiece()
    let (count, isLast) = (piece.readableBytes, write.isTaken)
    if isLast {
      writes.removeFirst()
      flying.append(write)
    }
    piecesInFlight += 1
    let written = executor.eventLoop.makePromise(of: Void.self)
    written.futureResult.assumeIsolated().whenComplete { [self] result in
      piecesInFlight -= 1
      switch result {
      case .success: taken(count, isLast)
      case .failure(let error): closeOutbound(StreamConnection.lost(error))
      }
    }
    source.write(piece, written)
  }

  /// The system has taken a piece of a write. Pieces are taken in the order in which they were handed over.
  private func taken(_ count: Int, _ isLast: Bool) {
    context?.record.requestBodyBytes += Int64(count)
    events?.streamSent(bytes: count)
    if isLast { flying.popFirst()?.finish(nil) }
    pump()
  }

  /// Writing has failed, as the peer takes no more bytes. If the peer had ended its side regularly, its unread bytes can still be read; otherwise
  /// the session ends.
  func closeOutbound(_ error: LoadError) {
    guard isRunning else { return }
    guard case .ended(nil) = inbound, inbox.readableBytes > 0 else { return end(with: error) }
    if case .closed = outbound { return }
    outbound = .closed
    let (writes, flying) = (writes, flying)
    self.writes = []
    self.flying = []
    for write in flying { write.fail(error) }
    for case .write(let write) in writes { write.fail(error) }
    events?.streamWriteClosed()
    pump()
  }

  private func performCloseWrite(_ source: any StreamSource) {
    guard case .open = outbound else { return }
    outbound = .closing
    let closed = executor.eventLoop.makePromise(of: Void.self)
    // Whether closing succeeded or the side was closed already, writing is closed now.
    closed.futureResult.assumeIsolated().whenComplete { [self] _ in
      guard isRunning, case .closing = outbound else { return }
      outbound = .closed
      events?.streamWriteClosed()
      pump()
    }
    source.closeOutput(closed)
  }
}
