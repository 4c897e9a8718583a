#if TestKit
  /// What only HTTP/2 has.
  enum StreamAct: Sendable {
    /// The stream's own end.
    case end
    /// The connection is closed once the stream has ended.
    case closeAfterwards
    /// RST_STREAM with this error code.
    case reset(Int)
    /// GOAWAY; `isProcessed` if this request counts among those that were acted on.
    case goAway(isProcessed: Bool)
  }
#endif
