#if HTTP3
  import CLoadingQUIC
  import CLoadingQUICServer
  import Cryptography
  import Foundation
  import HTTPTransport
  import NIOCore
  import NIOEmbedded
  import NIOSSL
  import URLLoadingTestKit

  /// A server of HTTP/3 at the end of a `DatagramNetwork`. A test says what it answers, and sees what has reached it.
  final class QUICServer {
    /// What becomes of a request that has come whole.
    enum Reply {
      /// A response with a body of so many bytes (`QUICServer.body`).
      case body(Int)
      /// The test answers it.
      case none
    }

    let network: DatagramNetwork
    var reply: (QUICServerConnection.Request) -> Reply = { _ in .body(3) }
    var settings = uls_h3_default_settings()
    /// Whether clients have to show that they receive what is sent to their address (Retry).
    var asksAgain = false
    var refusesEarlyData = false
    /// Whether datagrams of connections that it doesn't know are answered by a stateless reset (RFC 9000, 10.3).
    var resetsUnknown = false
    /// All that were ever accepted.
    private(set) var connections: [QUICServerConnection] = []
    let secret = [UInt8](repeating: 7, count: 32)
    /// What resets are made with: another one where the server has begun anew, and clients take its resets for noise.
    lazy var resetSecret = secret
    private var named: [[UInt8]: QUICServerConnection] = [:]
    private let context: NIOSSLContext

    /// The body of a response: bytes that show where they belong.
    static func body(_ count: Int) -> [UInt8] { (0..<count).map { UInt8($0 % 251) } }

    init(_ network: DatagramNetwork, _ certificate: TestCertificate) throws {
      self.network = network
      let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.chainPEM))
      let key = try NIOSSLPrivateKey(bytes: Array(certificate.privateKeyPEM), format: .pem)
      context = try NIOSSLContext(
        configuration: .makeServerConfiguration(certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
      guard let pointer = BoringSSLPointer.context(of: context) else { throw ChannelError.operationUnsupported }
      uls_h3_prepare_server_context(pointer, 1)
      network.receive = { [weak self] datagram, source, ecn in self?.receive(datagram, from: source, ecn: ecn) }
    }

    var requests: [QUICServerConnection.Request] { connections.flatMap(\.requests) }

    /// Sends these proofs in its handshakes from now on: a list of timestamps (RFC 6962, 3.3), and an OCSP response; empty ones aren't sent.
    func prove(timestamps: [UInt8], staple: [UInt8] = []) -> Bool {
      guard let pointer = BoringSSLPointer.context(of: context) else { return false }
      return uls_server_send_proofs(pointer, timestamps, timestamps.count, staple, staple.count) == 1
    }

    func makeTLS() -> UnsafeMutableRawPointer? {
      BoringSSLPointer.context(of: context).flatMap { uls_h3_server_tls($0, refusesEarlyData ? 1 : 0) }
    }

    func name(_ connection: QUICServerConnection, _ identifier: [UInt8], isUsed: Bool) {
      named[identifier] = isUsed ? connection : nil
    }

    /// Knows none of its connections any more, as after a crash: no client is told.
    func forgetConnections() {
      named = [:]
      for connection in connections { connection.end() }
    }

    private func receive(_ datagram: ByteBuffer, from source: SocketAddress, ecn: CInt) {
      guard let path = uls_h3_path(local: network.serverAddress, remote: source) else { return }
      datagram.withUnsafeReadableBytes { bytes in
        let datagram = uls_h3_bytes(data: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count)
        let found = uls_h3_destination_of(datagram)
        let identifier = Array(UnsafeBufferPointer(start: found.data, count: found.length))
        if let connection = named[identifier] ?? greet(datagram, identifier, path, source) {
          connection.receive(datagram, path, ecn: ecn)
        }
      }
    }

    private func greet(
      _ datagram: uls_h3_bytes, _ identifier: [UInt8], _ path: uls_h3_path, _ source: SocketAddress
    ) -> QUICServerConnection? {
      var (path, greeting) = (path, uls_h3_greeting())
      switch uls_h3_greet(datagram, &path, secret, asksAgain ? 1 : 0, network.loop.now.uptimeNanoseconds, &greeting) {
      case ULS_H3_NEW:
        guard let connection = QUICServerConnection(self, greeting, path) else { return nil }
        connections.append(connection)
        connection.named(identifier, isUsed: true)
        return connection
      case ULS_H3_REPLY:
        let length = greeting.reply_length
        let reply = withUnsafeBytes(of: &greeting.reply) { ByteBuffer(bytes: $0.prefix(length)) }
        network.sendToClient(reply, to: source, ecn: 0)
      default:
        if resetsUnknown { reset(identifier, source) }
      }
      return nil
    }

    private func reset(_ identifier: [UInt8], _ source: SocketAddress) {
      let token = HashFunction.sha256.authenticationCode(of: identifier, key: resetSecret).prefix(16)
      network.sendToClient(ByteBuffer(bytes: [0x40] + Array(repeating: 0x55, count: 30) + token), to: source, ecn: 0)
    }
  }
#endif
