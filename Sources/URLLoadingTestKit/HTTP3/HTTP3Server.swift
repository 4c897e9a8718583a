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

    /// What the connections of one test server have in common: its certificate, its replies, its record.
    final class HTTP3Server: Sendable {
      let options: TestServer.Options
      let replySource: ReplySource
      let record: ServerRecord
      /// By which the server knows its own Retry tokens.
      let secret: [UInt8]
      /// It owns BoringSSL's context.
      private let context: NIOSSLContext
      /// The same with other keys for tickets: it knows none of the first one's.
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

      /// Nanoseconds.
      private static let handshakePatience: UInt64 = 60_000_000_000

      var settings: uls_h3_settings {
        var settings = uls_h3_default_settings()
        settings.maximum_requests = UInt64(max(0, options.maximumConcurrentStreams))
        settings.maximum_section = 1 << 20
        // A client's handshake may wait for its app, or for a busy machine.
        settings.handshake_timeout = HTTP3Server.handshakePatience
        settings.allows_extended_connect = options.allowsExtendedConnect ? 1 : 0
        if let seconds = options.http3.idleTimeout { settings.idle_timeout = UInt64(max(0, seconds) * 1e9) }
        if let window = options.http3.streamWindow {
          (settings.stream_window, settings.maximum_stream_window) = (UInt64(max(0, window)), UInt64(max(0, window)))
        }
        return settings
      }

      /// The client's certificate in DER.
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

      /// Serves datagrams on this port; returns the channel that does.
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
