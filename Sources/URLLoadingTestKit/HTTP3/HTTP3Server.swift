#if TestKit
  #if HTTP3
    import CLoadingBoringSSL
    import CLoadingQUIC
    import CLoadingQUICServer
    import Foundation
    import HTTPTransport
    import NIOCore
    import NIOPosix
    import NIOSSL

    /// The state that all HTTP/3 connections of one test server share: options, certificate, replies and record.
    final class HTTP3Server: Sendable {
      let options: TestServer.Options
      let replySource: ReplySource
      let record: ServerRecord
      /// The key by which the server authenticates its own Retry tokens.
      let secret: [UInt8]
      /// Kept because it owns BoringSSL's context, which the connections' TLS is made from.
      private let context: NIOSSLContext
      /// A context with other ticket keys, for `EarlyData.forgotten`: it can't decrypt tickets of the first connection, so that those aren't resumed.
      private let forgetful: NIOSSLContext?

      init(_ options: TestServer.Options, _ certificate: TestCertificate, replySource: ReplySource, record: ServerRecord) throws {
        (self.options, self.replySource, self.record) = (options, replySource, record)
        var random = SystemRandomNumberGenerator()
        secret = (0..<32).map { _ in UInt8.random(in: 0...255, using: &random) }
        context = try HTTP3Server.context(options, certificate)
        forgetful = options.http3.earlyData == .forgotten ? try HTTP3Server.context(options, certificate) : nil
      }

      private static func context(_ options: TestServer.Options, _ certificate: TestCertificate) throws -> NIOSSLContext {
        let context = try options.tlsContext(certificate)
        guard let pointer = BoringSSLPointer.context(of: context) else { throw TestServer.Failure.notBound }
        uls_h3_prepare_server_context(pointer, options.http3.earlyData == .none ? 0 : 1)
        return context
      }

      func makeTLS() -> UnsafeMutableRawPointer? {
        let isFirst = record.state.read(\.accepted) == 0
        let context = isFirst ? context : forgetful ?? context
        try? options.encryptedHello?.accepted(in: context)
        let refuses = options.http3.earlyData == .refused && !isFirst
        return BoringSSLPointer.context(of: context).flatMap { uls_h3_server_tls($0, refuses ? 1 : 0) }
      }

      /// The timeout of handshakes, in nanoseconds.
      private static let handshakePatience: UInt64 = 60_000_000_000

      var settings: uls_h3_settings {
        var settings = uls_h3_default_settings()
        settings.maximum_requests = UInt64(max(0, options.maximumConcurrentStreams))
        settings.maximum_section = 1 << 20
        // The handshake timeout is long because a client may ask its app about the certificate during the handshake.
        settings.handshake_timeout = HTTP3Server.handshakePatience
        settings.allows_extended_connect = options.allowsExtendedConnect ? 1 : 0
        if let seconds = options.http3.idleTimeout { settings.idle_timeout = UInt64(seconds > 0 ? min(seconds, 1e9) * 1e9 : 0) }
        if let window = options.http3.streamWindow {
          (settings.stream_window, settings.maximum_stream_window) = (UInt64(max(0, window)), UInt64(max(0, window)))
        }
        return settings
      }

      /// The client's certificate in DER; nil if the client sent none.
      func peerCertificate(of tls: UnsafeMutableRawPointer) -> Data? {
        var first: Data?
        withUnsafeMutablePointer(to: &first) { pointer in
          uls_tls_peer_chain(
            tls,
            { context, bytes, length in
              guard let first = context?.assumingMemoryBound(to: Data?.self), first.pointee == nil, let bytes else { return }
              first.pointee = Data(bytes: bytes, count: length)
            }, pointer)
        }
        return first
      }

      /// Binds the UDP port and begins to serve HTTP/3 on it. Returns the socket's channel.
      func start(on group: any EventLoopGroup, host: String, port: Int) async throws -> any Channel {
        try await DatagramBootstrap.bind(host, port, on: group) {
          $0.channelOption(.explicitCongestionNotification, value: true)
            .channelOption(.datagramVectorReadMessageCount, value: 16)
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 16 * 2048))
            .channelOption(.socketOption(.so_rcvbuf), value: 1 << 20)
        } _: {
          try $0.pipeline.syncOperations.addHandler(HTTP3Endpoint(self))
        }
        .get()
      }
    }
  #endif
#endif
