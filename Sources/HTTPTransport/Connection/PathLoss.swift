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

  /// For a request that hasn't been sent.
  static var beforeSending: LoadError {
    var error = LoadError(.networkConnectionLost, .send, message)
    error.resendReason = .refused
    return error
  }
}

/// What has sockets that the pool doesn't know of.
package protocol PathBound: AnyObject {
  /// These addresses have left the machine. Called on the event loop.
  func vanished(_ addresses: Set<String>)
}

extension PathLoss {
  /// What a load ends with in the middle of an authentication that no other connection can continue.
  package static func midway(_ phase: LoadError.Phase) -> LoadError {
    var error = LoadError(.networkConnectionLost, phase, message)
    error.resendReason = .pathLost
    return error
  }
}

extension ConnectionFacts {
  /// Whether the address it was made from is among these.
  func isLost(with addresses: Set<String>) -> Bool { !isMultipath && localAddress.map(addresses.contains) ?? false }
}

extension Channel {
  /// The address its socket is bound to, in the form of `inet_ntop`; known before the connection is there, unlike `localAddress`.
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

  /// What `body` makes of the socket; nil if there is none, or it is closed. On the event loop.
  func withSocket<Value>(_ body: (CInt) -> Value) -> Value? {
    let value = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(of: CInt.self, body)
    return value ?? nil
  }
}
