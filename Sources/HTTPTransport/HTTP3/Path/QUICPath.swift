#if HTTP3
  import CLoadingQUIC
  import NIOCore

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Android)
    import Android
  #endif

  extension uls_h3_path {
    /// The path between two IP addresses; nil if one of them isn't an IP address.
    package init?(local: SocketAddress?, remote: SocketAddress?) {
      guard let local = local?.storage, let remote = remote?.storage else { return nil }
      self.init(local: local, remote: remote)
    }
  }

  extension SocketAddress {
    /// The address as `sockaddr_storage`, padded with zeros; nil if it is neither IPv4 nor IPv6.
    fileprivate var storage: sockaddr_storage? {
      var storage = sockaddr_storage()
      let size: Int
      switch self {
      case .v4: size = MemoryLayout<sockaddr_in>.size
      case .v6: size = MemoryLayout<sockaddr_in6>.size
      case .unixDomainSocket: return nil
      }
      withSockAddr { address, length in
        withUnsafeMutableBytes(of: &storage) { room in
          room.copyMemory(from: UnsafeRawBufferPointer(start: address, count: min(size, length, room.count)))
        }
      }
      return storage
    }
  }

  extension NIOExplicitCongestionNotificationState {
    /// The two bits of the IP header (RFC 3168, 5).
    package var bits: CInt {
      switch self {
      case .transportNotCapable: 0
      case .transportCapableFlag1: 1
      case .transportCapableFlag0: 2
      case .congestionExperienced: 3
      }
    }

    package init(bits: CInt) {
      switch bits & 3 {
      case 1: self = .transportCapableFlag1
      case 2: self = .transportCapableFlag0
      case 3: self = .congestionExperienced
      default: self = .transportNotCapable
      }
    }
  }

  extension EventLoop {
    /// The current time for QUIC's timers, in nanoseconds: the event loop's clock, not the session's. QUIC measures the network, and a
    /// simulated network also runs on its event loop's clock.
    var quicTime: UInt64 { now.uptimeNanoseconds }
  }

  /// The current `quicTime` of all event loops with real sockets, in nanoseconds.
  package enum QUICClock {
    package static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }
  }
#endif
