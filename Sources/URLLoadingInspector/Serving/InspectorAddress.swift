#if Inspector
  import Foundation

  /// What the address of a page is made of, where another process than the one that serves it has to know it.
  package enum InspectorAddress {
    /// A random token.
    package static func makeToken() -> String { PageAccess.makeToken() }

    /// A port of the loopback interface that was free just now; nil where none is.
    package static func freePort() -> Int? {
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
      }
      return isBound ? Int(UInt16(bigEndian: address.sin_port)) : nil
    }
  }
#endif
