/// The values of the server's SETTINGS (RFC 9113, 6.5.2).
struct PeerSettings {
  /// The assumed limit of concurrent streams until the server announces one (6.5.2 recommends that it be no smaller).
  static let streamLimit = 100
  /// The maximum size of a flow-control window (6.9.1).
  static let largestWindow = Int(Int32.max)

  var hasCome = false
  private(set) var maximumStreams = PeerSettings.streamLimit
  private(set) var initialWindow = 65535
  /// The most bytes of payload that the server accepts in one frame (SETTINGS_MAX_FRAME_SIZE).
  private(set) var frameLimit = HTTP2FrameHeader.payloadLimit
  /// Whether the server supports extended CONNECT (SETTINGS_ENABLE_CONNECT_PROTOCOL, RFC 8441, 3).
  private(set) var allowsExtendedConnect = false

  /// Applies one setting.
  /// - Returns: The change of the streams' send windows in bytes; negative if they become smaller.
  mutating func apply(_ setting: HTTP2Setting, _ value: UInt32) throws(HTTP2ConnectionError) -> Int {
    switch setting {
    case .enablePush:
      guard value == 0 else { throw HTTP2ConnectionError(.protocolError, "it wants to be pushed to") }
    case .maximumConcurrentStreams: maximumStreams = Int(value)
    case .initialWindowSize: return try setInitialWindow(Int(value))
    case .maximumFrameSize:
      guard value >= HTTP2FrameHeader.payloadLimit, value < 1 << 24 else {
        throw HTTP2ConnectionError(.protocolError, "it allows a size of frames that can't be")
      }
      frameLimit = Int(value)
    case .enableConnectProtocol:
      // The server must not withdraw the setting once it has enabled it (RFC 8441, 3).
      guard value == 1 || (value == 0 && !allowsExtendedConnect) else {
        throw HTTP2ConnectionError(.protocolError, "it takes the extended CONNECT back")
      }
      allowsExtendedConnect = value == 1
    // Unknown settings are ignored (6.5.2). SETTINGS_HEADER_TABLE_SIZE is applied by the HPACK encoder.
    default: break
    }
    return 0
  }

  private mutating func setInitialWindow(_ size: Int) throws(HTTP2ConnectionError) -> Int {
    guard size <= PeerSettings.largestWindow else { throw HTTP2ConnectionError(.flowControlError, "its initial window is too large") }
    defer { initialWindow = size }
    return size - initialWindow
  }
}
