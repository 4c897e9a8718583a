extension URLSessionServerSentEventSource {
  /// When, and how often, a source of server-sent events reconnects.
  public struct Reconnection: Sendable, Hashable {
    /// The time to wait before reconnecting, until the server sets another one by `retry`. Default: 3 seconds.
    public var initialDelay: Duration
    /// The longest time to which exponential back-off raises the delay while connections bring no event; a longer `retry` of the server is kept.
    /// Default: 60 seconds.
    public var maximumDelay: Duration
    /// How many times in a row to reconnect without getting an event; then the sequence ends as the last connection did, by its error or end. nil,
    /// the default, for any number.
    public var maximumAttempts: Int?

    /// Reconnects with these delays.
    public init(initialDelay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumAttempts: Int? = nil) {
      self.initialDelay = initialDelay
      self.maximumDelay = maximumDelay
      self.maximumAttempts = maximumAttempts
    }
  }
}
