import LoadingModel
import NIOCore

// Bytes leave as fast as the socket takes them; small writes that come together share a system call.

extension StreamSession {
  package func becameWritable() { pump() }

  func pumpWrites() {
    var hasWritten = false
    while moves, let source, let step = writes.first {
      switch step {
      case .close:
        // What was handed over before would be lost.
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

  /// The system has taken a piece; they are taken in order.
  private func taken(_ count: Int, _ isLast: Bool) {
    context?.record.requestBodyBytes += Int64(count)
    events?.streamSent(bytes: count)
    if isLast { flying.popFirst()?.finish(nil) }
    pump()
  }

  /// The peer takes nothing more. If it has ended in order before, what it sent can still be read.
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
    // Whether it closed in order or was closed already: it is closed.
    closed.futureResult.assumeIsolated().whenComplete { [self] _ in
      guard isRunning, case .closing = outbound else { return }
      outbound = .closed
      events?.streamWriteClosed()
      pump()
    }
    source.closeOutput(closed)
  }
}
