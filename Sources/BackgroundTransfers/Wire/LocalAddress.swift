import CLoadingProcess
import Foundation

/// The path of a Unix-domain socket.
struct LocalAddress: Sendable {
  let path: String
  private let address: sockaddr_un

  /// - Throws: `.storage` if the path is empty or longer than a socket address has room for.
  init(_ path: String) throws(Refusal) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The last byte stays zero, as the end of the path.
    let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, !path.utf8.contains(0), path.utf8.count <= limit else {
      throw Refusal(
        .storage, "The socket's path \(path) has \(path.utf8.count) bytes, and may have \(limit); set XDG_RUNTIME_DIR to a shorter folder.")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    self.path = path
    self.address = address
  }

  /// The path that a socket is bound to; nil if it has none.
  static func path(of descriptor: Int32) -> String? {
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let code = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    guard code == 0, address.sun_family == sa_family_t(AF_UNIX) else { return nil }
    let bytes = withUnsafeBytes(of: address.sun_path) { $0.prefix { $0 != 0 } }
    return bytes.first == UInt8(ascii: "/") ? String(decoding: bytes, as: UTF8.self) : nil
  }

  /// Whether a process listens at the path. The connection made for this is closed at once.
  var isAnswered: Bool {
    let descriptor = uls_local_socket()
    guard descriptor >= 0 else { return false }
    defer { _ = Foundation.close(descriptor) }
    // EAGAIN means that the queue of connections is full, so that a process listens.
    return [0, EAGAIN].contains(connect(descriptor))
  }

  /// - Returns: 0, or `errno`.
  func bind(_ descriptor: Int32) -> Int32 { call { Foundation.bind(descriptor, $0, $1) } }

  /// - Returns: 0, or `errno`.
  func connect(_ descriptor: Int32) -> Int32 { call { Foundation.connect(descriptor, $0, $1) } }

  private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }
}
