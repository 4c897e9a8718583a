/// What the server has said in SETTINGS (RFC 9113, 6.5.2).
struct PeerSettings {
  /// Streams before the server has named its limit (6.5.2 recommends no less).
  static let streamLimit = 100
  /// 6.9.1.
  static let largestWindow = Int(Int32.max)

  var hasCome = false
  private(set) var maximumStreams = PeerSettings.streamLimit
  private(set) var initialWindow = 65535
  /// Bytes of payload in one frame.
  private(set) var frameLimit = HTTP2FrameHeader.payloadLimit
  /// RFC 8441, 3.
  private(set) var allowsExtendedConnect = false

  /// - Returns: By how much the windows of streams are wider from now on; below zero where they are narrower.
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
      // RFC 8441, 3: it may not be taken back.
      guard value == 1 || (value == 0 && !allowsExtendedConnect) else {
        throw HTTP2ConnectionError(.protocolError, "it takes the extended CONNECT back")
      }
      allowsExtendedConnect = value == 1
    // 6.5.2: unknown settings are ignored. That of HPACK's table is the encoder's.
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
