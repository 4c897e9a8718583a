#if TestKit
  import NIOCore

  // The proxy's handling of clients that use SOCKS 4, 4a and 5 (RFC 1928, RFC 1929).

  extension ProxyEntrance {
    func readSOCKS4(_ context: ChannelHandlerContext) {
      guard unread.count > 8, let end = unread[8...].firstIndex(of: 0) else { return }
      let port = Int(unread[2]) << 8 | Int(unread[3])
      var host = unread[4..<8].map(String.init).joined(separator: ".")
      if unread[4...6].allSatisfy({ $0 == 0 }), unread[7] != 0 {
        guard let last = unread[(end + 1)...].firstIndex(of: 0) else { return }
        host = String(decoding: unread[(end + 1)..<last], as: UTF8.self)
      }
      user = String(decoding: unread[8..<end], as: UTF8.self)
      unread = []
      let isWelcome = record.options.socksLogin.map { $0.user == user } ?? true
      note(.socks4, "\(host):\(port)", [:], isLetIn: isWelcome)
      guard isWelcome else { return refuse(context, [0, 93, 0, 0, 0, 0, 0, 0]) }
      connect(context, host, port, opened: [0, 90, 0, 0, 0, 0, 0, 0], first: [], refused: [0, 91, 0, 0, 0, 0, 0, 0])
    }

    func readMethods(_ context: ChannelHandlerContext) {
      guard unread.count >= 2, unread.count >= 2 + Int(unread[1]) else { return }
      let methods = unread[2..<(2 + Int(unread[1]))]
      unread.removeFirst(2 + Int(unread[1]))
      let wanted: UInt8 = record.options.socksLogin == nil ? 0 : 2
      guard methods.contains(wanted) else {
        note(.socks5, "", [:], isLetIn: false)
        return refuse(context, [5, 0xFF])
      }
      state = wanted == 0 ? .requesting : .proving
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: [5, wanted])), promise: nil)
      advance(context)
    }

    func readProof(_ context: ChannelHandlerContext) {
      guard unread.count >= 2, unread.count > 2 + Int(unread[1]) else { return }
      let end = 2 + Int(unread[1])
      guard unread.count >= end + 1 + Int(unread[end]) else { return }
      let login = (
        user: String(decoding: unread[2..<end], as: UTF8.self),
        password: String(decoding: unread[(end + 1)..<(end + 1 + Int(unread[end]))], as: UTF8.self)
      )
      unread.removeFirst(end + 1 + Int(unread[end]))
      user = login.user
      guard let wanted = record.options.socksLogin, wanted == login else {
        note(.socks5, "", [:], isLetIn: false)
        return refuse(context, [1, 1])
      }
      state = .requesting
      context.writeAndFlush(NIOAny(ByteBuffer(bytes: [1, 0])), promise: nil)
      advance(context)
    }

    func readSOCKS5(_ context: ChannelHandlerContext) {
      guard unread.count >= 5 else { return }
      let start = unread[3] == 3 ? 5 : 4
      let length = unread[3] == 1 ? 4 : unread[3] == 4 ? 16 : Int(unread[4])
      guard unread.count >= start + length + 2 else { return }
      let bytes = Array(unread[start..<(start + length)])
      let port = Int(unread[start + length]) << 8 | Int(unread[start + length + 1])
      let address = unread[3] == 3 ? nil : try? SocketAddress(packedIPAddress: ByteBuffer(bytes: bytes), port: port)
      let host = address?.ipAddress ?? String(decoding: bytes, as: UTF8.self)
      unread = []
      note(.socks5, "\(host):\(port)", [:], isLetIn: true)
      connect(context, host, port, opened: [5, 0, 0, 1, 0, 0, 0, 0, 0, 0], first: [], refused: [5, 5, 0, 1, 0, 0, 0, 0, 0, 0])
    }
  }
#endif
