import CLoadingShims
import Foundation

/// The path of a Unix-domain socket.
struct LocalAddress: Sendable {
  let path: String
  private let address: sockaddr_un

  /// - Throws: `.storage` if the path is longer than the system's addresses.
  init(_ path: String) throws(Refusal) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The last byte is zero.
    let limit = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, !path.utf8.contains(0), path.utf8.count <= limit else {
      throw Refusal(
        .storage, "The socket's path \(path) has \(path.utf8.count) bytes, and may have \(limit); set XDG_RUNTIME_DIR to a shorter folder.")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    self.path = path
    self.address = address
  }

  /// - Returns: 0, or the error number.
  func bind(_ descriptor: Int32) -> Int32 { call { Foundation.bind(descriptor, $0, $1) } }

  /// - Returns: 0, or the error number.
  func connect(_ descriptor: Int32) -> Int32 { call { Foundation.connect(descriptor, $0, $1) } }

  private func call(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0 ? 0 : errno
      }
    }
  }
}
