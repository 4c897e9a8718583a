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
    /// nil unless both are addresses of the internet.
    package init?(local: SocketAddress?, remote: SocketAddress?) {
      guard let local = local?.storage, let remote = remote?.storage else { return nil }
      self.init(local: local, remote: remote)
    }
  }

  extension SocketAddress {
    /// Of IPv4 or IPv6; what pads the structure is zero.
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
    /// The time of QUIC's timers, in nanoseconds: the loop's, not the session's. What QUIC measures is the network, and where that is a
    /// simulated one its time is the loop's as well.
    var quicTime: UInt64 { now.uptimeNanoseconds }
  }

  /// `quicTime` of every loop that has sockets.
  package enum QUICClock {
    package static var now: UInt64 { NIODeadline.now().uptimeNanoseconds }
  }
#endif
