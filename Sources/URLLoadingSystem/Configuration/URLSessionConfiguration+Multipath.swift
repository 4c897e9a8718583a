extension URLSessionConfiguration {
  /// How multipath TCP uses several networks.
  public enum MultipathServiceType: Int, Sendable {
    /// One network at a time: no Multipath TCP.
    case none = 0
    /// Moves to another network when the first fails.
    case handover = 1
    /// Uses the network with the lowest delay.
    case interactive = 2
    /// Uses several networks at once for more throughput.
    case aggregate = 3
  }
}
