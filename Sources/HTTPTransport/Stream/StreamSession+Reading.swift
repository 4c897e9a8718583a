import LoadingModel
import NIOCore

// Reading. Received bytes wait for the app's reads. Without a read, at most 256 KiB are read ahead, so that the peer's end is noticed.

extension StreamSession: StreamReceiver {
  package var wantsBytes: Bool {
    switch (phase, inbound) {
    // During the TLS handshake the connection has to be read.
    case (.securing, .open): return true
    case (.open, .open):
      guard context?.isSuspended == false else { return false }
      guard case .read(let read)? = reads.first else { return inbox.readableBytes < StreamSession.readAheadLimit }
      return inbox.readableBytes < max(StreamSession.readAheadLimit, min(read.minimum, StreamSession.largestRead))
    // After `closeRead` received bytes are discarded, but still read, as the peer's end may follow.
    case (.open, .over): return context?.isSuspended == false
    case (.connecting, _), (.securing, _), (.ended, _), (.open, .ended): return false
    }
  }

  package func received(_ bytes: ByteBuffer) {
    guard isRunning, case .open = inbound else { return }
    let count = bytes.readableBytes
    if countsBytes { context?.record.responseBodyBytes += Int64(count) }
    context?.record.responseBodyBytesAfterDecoding += Int64(count)
    events?.streamReceived(bytes: count)
    if inbox.readableBytes == 0 {
      inbox = bytes
    } else {
      inbox.keep(bytes)
    }
    pump()
  }

  package func inputEnded(_ error: LoadError?) {
    guard isRunning, case .open = inbound else {
      // Reading was closed by the app before: the peer's end may complete the session.
      return finishIfOver()
    }
    inbound = .ended(error)
    events?.streamReadClosed()
    pump()
  }

  package func failed(_ error: LoadError) {
    // After the peer's end only writing can fail. Bytes that have arrived can still be read.
    if case .ended = inbound, inbox.readableBytes > 0 { return closeOutbound(error) }
    end(with: error)
  }

  func pumpReads() {
    while moves, let step = reads.first {
      switch step {
      case .close:
        reads.removeFirst()
        performCloseRead()
      case .read(let read):
        guard let result = result(of: read) else { return askForMore() }
        reads.removeFirst()
        finish(read, result)
      }
    }
    askForMore()
  }

  private func askForMore() {
    if wantsBytes { source?.demand() }
  }

  /// The result of `read` from the bytes that have arrived; nil if it has to wait for more.
  private func result(of read: StreamRead) -> Result<StreamPiece, LoadError>? {
    switch inbound {
    case .open:
      guard inbox.readableBytes >= read.minimum else {
        return inbox.readableBytes >= StreamSession.largestRead ? .failure(.streamReadIsTooLarge) : nil
      }
      return .success(StreamPiece(bytes: take(read.maximum), isLast: false))
    case .ended(let error):
      if let error, inbox.readableBytes < read.minimum { return .failure(error) }
      let bytes = take(read.maximum)
      return .success(StreamPiece(bytes: bytes, isLast: inbox.readableBytes == 0 && error == nil))
    case .over: return .failure(.streamClosed)
    }
  }

  private func finish(_ read: StreamRead, _ result: Result<StreamPiece, LoadError>) {
    read.finish(result)
    switch result {
    case .success(let piece) where piece.isLast:
      // Reads that wait already see the end as well; later ones fail.
      for case .read(let other) in reads { other.finish(.success(StreamPiece(bytes: ByteBuffer(), isLast: true))) }
      reads = []
      inbound = .over
    case .failure(let error):
      if case .ended = inbound { end(with: error) }
    case .success: break
    }
  }

  func take(_ maximum: Int) -> ByteBuffer {
    guard inbox.readableBytes > maximum else {
      defer { inbox = ByteBuffer() }
      return inbox
    }
    // A copy, as with a slice the next write to `inbox` would copy all of it.
    let piece = ByteBuffer(bytes: inbox.readableBytesView.prefix(maximum))
    inbox.moveReaderIndex(forwardBy: maximum)
    return piece
  }

  func dropInbox() { inbox = ByteBuffer() }

  private func performCloseRead() {
    let wasOpen = if case .open = inbound { true } else { false }
    inbound = .over
    dropInbox()
    if wasOpen { events?.streamReadClosed() }
  }
}

extension ByteBuffer {
  /// Appends `bytes`, after discarding bytes that have been read when they are more than half: otherwise the buffer would keep the whole stream.
  package mutating func keep(_ bytes: ByteBuffer) {
    if readerIndex > readableBytes { discardReadBytes() }
    writeImmutableBuffer(bytes)
  }
}
