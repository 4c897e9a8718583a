import Foundation

/// Tells systemd what state the daemon is in (sd_notify(3)): one datagram to the socket that `NOTIFY_SOCKET` names.
struct ServiceNotice: Sendable {
  private let address: [UInt8]

  /// nil if `NOTIFY_SOCKET` isn't set, so that no service manager is to be told.
  init?(environment: [String: String]) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@") else { return nil }
    var bytes = Array(name.utf8)
    // "@" stands for the zero byte with which the names of the abstract namespace begin (unix(7)).
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    guard bytes.count > 1, bytes.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
    address = bytes
  }

  func ready() { send("READY=1") }

  func stopping() { send("STOPPING=1") }

  func status(_ text: String) { send("STATUS=\(text.replacing("\n", with: " "))") }

  private func send(_ text: String) {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var target = sockaddr_un()
    target.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &target.sun_path) { $0.copyBytes(from: address) }
    // The address's length: an abstract name has no end mark, a path has a zero byte after it.
    let length = MemoryLayout<sockaddr_un>.offset(of: \.sun_path).map { $0 + address.count + (address.first == 0 ? 0 : 1) }
    let message = Array(text.utf8)
    withUnsafePointer(to: target) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
        _ = sendto(descriptor, message, message.count, Int32(MSG_NOSIGNAL), generic, socklen_t(length ?? 0))
      }
    }
  }
}
