import BackgroundTransfers
import ChildProcesses
import Foundation

/// A link and the bare socket at its other end, which blocks.
final class BarePeer: Sendable {
  let link: MessageLink
  let socket: Int32

  init() throws {
    var ends: [Int32] = [0, 0]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
    }
    var patience = timeval(tv_sec: HangLimit.seconds, tv_usec: 0)
    setsockopt(ends[1], SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    link = MessageLink(descriptor: ends[0], peer: LinkPeer(user: geteuid(), process: getpid()))
    socket = ends[1]
  }

  deinit { close(socket) }

  /// Writes all of it.
  func write(_ bytes: some Sequence<UInt8>) {
    var rest = Array(bytes)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Writes until there is no room.
  /// - Returns: How many bytes there was room for; at most `limit`.
  func fill(limit: Int) -> Int {
    let piece = [UInt8](repeating: 0x20, count: 65_536)
    var total = 0
    while total < limit {
      let count = send(socket, piece, piece.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      guard count > 0 else { break }
      total += count
    }
    return total
  }

  /// Reads so many bytes, or to the end of the stream.
  func readExactly(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      var piece = [UInt8](repeating: 0, count: count - bytes.count)
      let got = uninterrupted { recv(socket, &piece, piece.count, Int32(MSG_WAITALL)) }
      guard got > 0 else { break }
      bytes += piece[..<got]
    }
    return bytes
  }

  /// Reads to the end of the stream.
  func readAll() -> [UInt8] {
    var (bytes, piece): ([UInt8], [UInt8]) = ([], .init(repeating: 0, count: 65_536))
    while true {
      let count = uninterrupted { read(socket, &piece, piece.count) }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }

  /// No more is written.
  func endWriting() { shutdown(socket, Int32(SHUT_WR)) }

  /// Closes the socket as the end of a process does: the descriptor's number leads to nothing.
  func end() {
    let nothing = open("/dev/null", O_RDWR | O_CLOEXEC)
    dup2(nothing, socket)
    close(nothing)
  }

  /// A frame around these bytes.
  static func frame(_ body: some Collection<UInt8>) -> [UInt8] {
    withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + Array(body)
  }
}
