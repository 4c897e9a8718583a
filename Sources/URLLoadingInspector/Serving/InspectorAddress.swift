#if Inspector
  import Foundation

  /// Creates the parts of a page's address in advance, for a program that starts another process and has to know the address of its page.
  package enum InspectorAddress {
    /// A random token for the page's path.
    package static func makeToken() -> String { PageAccess.makeToken() }

    /// A port of the loopback interface that is free at the moment; nil if there is none. Another program may take it before it is used.
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
