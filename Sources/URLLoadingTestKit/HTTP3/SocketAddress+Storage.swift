#if HTTP3
  import Foundation
  import NIOCore

  extension SocketAddress {
    var storage: sockaddr_storage {
      var storage = sockaddr_storage()
      withSockAddr { address, size in
        withUnsafeMutableBytes(of: &storage) { $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(size, $0.count))) }
      }
      return storage
    }

    /// nil for what is no address of IP.
    init?(_ storage: sockaddr_storage) {
      let address: SocketAddress? = withUnsafeBytes(of: storage) { bytes in
        switch Int32(storage.ss_family) {
        case AF_INET: SocketAddress(bytes.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: SocketAddress(bytes.loadUnaligned(as: sockaddr_in6.self))
        default: nil
        }
      }
      guard let address else { return nil }
      self = address
    }
  }
#endif
