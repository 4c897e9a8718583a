import ChildProcesses
import Foundation
import Testing

/// A bare connection to a Unix-domain socket, which blocks.
final class ClientSocket: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    try #require(ClientSocket.call(path) { connect(descriptor, $0, $1) } == 0)
    var patience = timeval(tv_sec: HangLimit.seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  func write(_ bytes: [UInt8]) { _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

  func writeAll(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Reads to the end.
  /// - Returns: How many bytes.
  func readAll() -> Int {
    var (total, piece) = (0, [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = uninterrupted { read(descriptor, &piece, piece.count) }
      guard count > 0 else { return total }
      total += count
    }
  }

  func end() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Waits for what comes next.
  func isAtEnd() -> Bool {
    var byte: UInt8 = 0
    return uninterrupted { read(descriptor, &byte, 1) } == 0
  }

  /// A socket with this file that isn't listening.
  static func bound(to path: String) -> Int32? {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    return call(path) { bind(descriptor, $0, $1) } == 0 ? descriptor : nil
  }

  private static func call(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
