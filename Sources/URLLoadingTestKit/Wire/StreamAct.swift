#if TestKit
  /// A step that only streams of HTTP/2 and HTTP/3 have.
  enum StreamAct: Sendable {
    /// Ends the stream by an empty DATA frame with END_STREAM.
    case end
    /// Closes the connection when the stream has ended.
    case closeAfterwards
    /// Resets the stream (RST_STREAM) with this error code.
    case reset(Int)
    /// Sends GOAWAY; `isProcessed` says whether this request counts as processed.
    case goAway(isProcessed: Bool)
  }
#endif
