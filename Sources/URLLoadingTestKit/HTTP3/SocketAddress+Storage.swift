#if TestKit
  #if HTTP3
    import Foundation
    import NIOCore

    extension SocketAddress {
      /// The address in a `sockaddr_storage`; nil if it isn't IPv4 or IPv6.
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
#endif
