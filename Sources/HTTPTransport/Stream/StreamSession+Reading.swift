import LoadingModel
import NIOCore

// Bytes wait for `read`, and the connection for the bytes: without a read nothing is read from it, but for 256 KiB ahead, which show the
// peer's end.

extension StreamSession: StreamReceiver {
  package var wantsBytes: Bool {
    switch (phase, inbound) {
    // Before its handshake the peer has nothing to send.
    case (.securing, .open): return true
    case (.open, .open):
      guard context?.isSuspended == false else { return false }
      guard case .read(let read)? = reads.first else { return inbox.readableBytes < StreamSession.readAheadLimit }
      return inbox.readableBytes < max(StreamSession.readAheadLimit, min(read.minimum, StreamSession.largestRead))
    // What comes is dropped, but still read: it may be the end.
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
      // Reading was closed before.
      return finishIfOver()
    }
    inbound = .ended(error)
    events?.streamReadClosed()
    pump()
  }

  package func failed(_ error: LoadError) {
    // After the peer's end only writing can fail, and that has its own answer; what has come can still be read.
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

  /// What `read` can be given; nil if it has to wait.
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
    // A copy: a slice would have the whole inbox copied when more comes.
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
  /// Appends, and releases what has been read: a buffer that only grew would keep the whole stream.
  package mutating func keep(_ bytes: ByteBuffer) {
    if readerIndex > readableBytes { discardReadBytes() }
    writeImmutableBuffer(bytes)
  }
}
