import Foundation

/// A listening socket on the loopback interface whose connections are accepted by the system alone.
final class LoopbackSocket: Sendable {
  let descriptor: Int32
  let port: Int

  init(backlog: Int32) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = LoopbackSocket.address(0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isReady = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, backlog) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isReady else { throw POSIXError(.EADDRNOTAVAIL) }
  }

  /// One that is being connected to a port.
  private init(connectingTo port: Int, isBlocking: Bool) throws {
    self.port = port
    descriptor = socket(
      AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | (isBlocking ? 0 : Int32(SOCK_NONBLOCK.rawValue)), 0)
    var address = LoopbackSocket.address(port)
    let descriptor = descriptor
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
    guard result == 0 || errno == EINPROGRESS else { throw POSIXError(.ECONNREFUSED) }
  }

  /// - Parameter isBlocking: Whether it is connected on return.
  static func connecting(to port: Int, isBlocking: Bool = false) throws -> LoopbackSocket {
    try LoopbackSocket(connectingTo: port, isBlocking: isBlocking)
  }

  deinit { close(descriptor) }

  private static func address(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    return address
  }
}

/// Stands between one client and a TLS server, and passes on what the server sends before its first ChangeCipherSpec: behind the server's
/// hello in TLS 1.3 (RFC 8446, D.4), behind the client's half of the handshake in TLS 1.2.
final class HandshakeRelay: Sendable {
  private let listener: LoopbackSocket
  var port: Int { listener.port }

  init(to port: Int) throws {
    let listener = try LoopbackSocket(backlog: 8)
    self.listener = listener
    let server = try LoopbackSocket.connecting(to: port, isBlocking: true)
    Thread.detachNewThread {
      let client = accept(listener.descriptor, nil, nil)
      guard client >= 0 else { return }
      Thread.detachNewThread { HandshakeRelay.pass(from: server.descriptor, to: client) }
      var bytes = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = recv(client, &bytes, bytes.count, 0)
        guard count > 0, send(server.descriptor, bytes, count, Int32(MSG_NOSIGNAL)) == count else { break }
      }
      shutdown(server.descriptor, Int32(SHUT_RDWR))
      close(client)
    }
  }

  /// Record by record (RFC 8446, 5.1).
  private static func pass(from server: Int32, to client: Int32) {
    var pending: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 65536)
    var hasStopped = false
    while true {
      let count = recv(server, &bytes, bytes.count, 0)
      guard count > 0 else { return }
      pending += bytes.prefix(count)
      while !hasStopped, pending.count >= 5 {
        let length = 5 + (Int(pending[3]) << 8 | Int(pending[4]))
        guard pending.count >= length else { break }
        hasStopped = pending[0] == 20
        if !hasStopped { _ = send(client, Array(pending.prefix(length)), length, Int32(MSG_NOSIGNAL)) }
        pending.removeFirst(length)
      }
    }
  }

  /// Nothing waits for a client any more.
  func stop() { shutdown(listener.descriptor, Int32(SHUT_RDWR)) }
}
