extension URLSessionServerSentEventSource {
  /// When to connect again.
  public struct Reconnection: Sendable, Hashable {
    /// How long to wait before the next connection, until the server says something else. Default: 3 seconds.
    public var initialDelay: Duration
    /// How long back-off may make that, where connections bring no event. A longer time that the server asks for counts. Default: a minute.
    public var maximumDelay: Duration
    /// How many times in a row to connect again without an event, before the last connection's error, or end, is the sequence's; nil, the
    /// default, for any number.
    public var maximumAttempts: Int?

    /// Connects again and again, with these times.
    public init(initialDelay: Duration = .seconds(3), maximumDelay: Duration = .seconds(60), maximumAttempts: Int? = nil) {
      self.initialDelay = initialDelay
      self.maximumDelay = maximumDelay
      self.maximumAttempts = maximumAttempts
    }
  }
}
