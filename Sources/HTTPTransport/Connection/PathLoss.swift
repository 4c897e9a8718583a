import LoadingModel
import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#endif

/// The address from which a connection was made has left the machine: nothing is sent or received over it any more.
package struct PathLoss: Error {
  static let message = "this machine has lost the network address that the connection to the server was made from"

  /// The error of a request that hadn't been sent yet: another connection can send it (`.refused`).
  static var beforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, message)
    error.resendReason = .refused
    return error
  }
}

/// An object with sockets that aren't the pool's (streams, FTP): it is told when local addresses leave the machine.
package protocol PathBound: AnyObject {
  /// These local addresses have left the machine: sockets bound to them are given up. Called on the event loop.
  func vanished(_ addresses: Set<String>)
}

extension PathLoss {
  /// The error of a stream or an FTP session whose local address has left the machine: no other connection can continue it (`.pathLost`).
  package static func midway(_ phase: LoadError.Phase) -> LoadError {
    var error = LoadError(.networkConnectionLost, phase, message)
    error.resendReason = .pathLost
    return error
  }
}

extension ConnectionFacts {
  /// Whether the connection was made from one of these addresses, which have left the machine. Never with Multipath TCP, which has other paths.
  func isLost(with addresses: Set<String>) -> Bool { !isMultipath && localAddress.map(addresses.contains) ?? false }
}

extension Channel {
  /// The local address that the socket is bound to, as `inet_ntop` writes it. Unlike `localAddress` it is known while the socket still connects.
  package var boundAddress: String? {
    if let known = localAddress?.ipAddress { return known }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout.size(ofValue: storage))
    let bound = withSocket { descriptor in
      withUnsafeMutablePointer(to: &storage) { storage in
        storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
          getsockname(descriptor, address, &length) == 0 ? SocketAddress(address)?.ipAddress : nil
        }
      }
    }
    return bound ?? nil
  }

  /// Calls `body` with the socket's descriptor and returns its result; nil if the channel has no open socket. To be called on the event loop.
  func withSocket<Value>(_ body: (CInt) -> Value) -> Value? {
    let value = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    return value ?? nil
  }
}
