#if HTTP3
  /// Reports the frames on all streams of one HTTP/3 connection to a watcher. Owned by the connection; confined to the event loop.
  final class HTTP3FrameWatch {
    private struct Key: Hashable {
      let stream: Int64
      let isSent: Bool
    }

    private let watcher: any ConnectionWatcher
    private var scanners: [Key: HTTP3FrameScanner] = [:]

    /// Starts watching; to be created before the connection's first packet.
    init(_ watcher: any ConnectionWatcher, _ handle: QUICHandle) {
      self.watcher = watcher
      handle.watchStreams()
    }

    func carried(_ stream: Int64, isSent: Bool, _ bytes: UnsafeRawBufferPointer) {
      scanners[Key(stream: stream, isSent: isSent), default: HTTP3FrameScanner(stream: stream, isSent: isSent)]
        .scan(bytes, watcher.carried)
    }

    /// The number of streams that are watched, each direction counted.
    var watchedDirections: Int { scanners.count }

    /// The stream has ended in all its directions: drops its scanners. Not before, as the rest of a stream whose exchange has ended may still come.
    func forget(_ stream: Int64) {
      scanners[Key(stream: stream, isSent: true)] = nil
      scanners[Key(stream: stream, isSent: false)] = nil
    }

    /// The server has refused the early data, which is sent again from the beginning of each stream: drops all scanners.
    func beginAgain() { scanners = [:] }
  }
#endif

/// Finds the frames in one direction of one stream of HTTP/3 (RFC 9114, 6.2 and 7.1). A value.
struct HTTP3FrameScanner {
  private enum State {
    /// A unidirectional stream begins with its type.
    case type
    case frame
    /// The stream has no frames: it carries QPACK instructions or is of an unknown type.
    case opaque
  }

  /// Stream type and frame types (RFC 9114, 6.2.1 and 7.2).
  private static let controlStream: UInt64 = 0
  private static let (data, headers, pushPromise): (UInt64, UInt64, UInt64) = (0, 1, 5)

  private let stream: Int64
  private let isSent: Bool
  private var state: State
  /// The bytes of the variable-length integers that are being read.
  private var numbers: [UInt8] = []
  private var frame: (type: UInt64, length: UInt64)?
  private var payload: [UInt8] = []
  private var rest: UInt64 = 0

  init(stream: Int64, isSent: Bool) {
    self.stream = stream
    self.isSent = isSent
    // The second-lowest bit of a stream's id is set for unidirectional streams (RFC 9000, 2.1).
    state = stream & 2 != 0 ? .type : .frame
  }

  mutating func scan(_ bytes: UnsafeRawBufferPointer, _ tell: (WatchedFrame) -> Void) {
    var left = bytes[...]
    while !left.isEmpty {
      switch state {
      case .opaque: return
      case .type:
        numbers.append(left.removeFirst())
        guard let type = HTTP3FrameScanner.numbers(1, in: numbers)?[0] else { continue }
        numbers = []
        state = type == HTTP3FrameScanner.controlStream ? .frame : .opaque
        tell(WatchedFrame(.http3Stream(type: type), isSent: isSent, stream: stream, length: 0))
      case .frame where frame == nil:
        numbers.append(left.removeFirst())
        guard let pair = HTTP3FrameScanner.numbers(2, in: numbers) else { continue }
        numbers = []
        rest = pair[1]
        frame = (pair[0], pair[1])
        if isContent || rest == 0 { tell(told(pair[0], pair[1])) }
        if rest == 0 { frame = nil }
      case .frame:
        let count = Int(min(rest, UInt64(left.count)))
        if !isContent { payload += left.prefix(min(count, HTTP2FrameScanner.payloadLimit - payload.count)) }
        rest -= UInt64(count)
        left = left.dropFirst(count)
        guard rest == 0, let frame else { continue }
        if !isContent { tell(told(frame.type, frame.length)) }
        (self.frame, payload) = (nil, [])
      }
    }
  }

  private func told(_ type: UInt64, _ length: UInt64) -> WatchedFrame {
    WatchedFrame(.http3(type: type), isSent: isSent, stream: stream, length: length, payload: payload)
  }

  private var isContent: Bool {
    guard let type = frame?.type else { return false }
    return type == HTTP3FrameScanner.data || type == HTTP3FrameScanner.headers || type == HTTP3FrameScanner.pushPromise
  }

  /// The first `count` variable-length integers (RFC 9000, 16) in `bytes`; nil if some of their bytes are missing.
  private static func numbers(_ count: Int, in bytes: [UInt8]) -> [UInt64]? {
    var (result, position): ([UInt64], Int) = ([], 0)
    while result.count < count {
      guard position < bytes.count else { return nil }
      let length = 1 << Int(bytes[position] >> 6)
      guard position + length <= bytes.count else { return nil }
      result.append(bytes[position..<(position + length)].reduce(0) { $0 << 8 | UInt64($1) } & (UInt64.max >> UInt64(66 - 8 * length)))
      position += length
    }
    return result
  }
}
