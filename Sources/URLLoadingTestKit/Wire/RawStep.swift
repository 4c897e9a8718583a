#if TestKit
  import Foundation
  import NIOCore

  /// One step of a raw script: sends exact bytes, reads, waits or closes. After the last step the connection stays open, and received bytes are
  /// recorded.
  public struct RawStep: Sendable {
    enum Action: Sendable {
      case wire(WireStep)
      case waitForRelease(String)
    }

    let action: Action

    private init(_ step: WireStep) { action = .wire(step) }
    private init(release name: String) { action = .waitForRelease(name) }

    /// Reads until `text` has been received, such as the empty line after a request's headers.
    public static func read(until text: String) -> RawStep { RawStep(.read(.until(Data(text.utf8)))) }

    /// Reads until these bytes have been received.
    public static func read(until bytes: Data) -> RawStep { RawStep(.read(.until(bytes))) }

    /// Reads `count` bytes.
    public static func read(count: Int) -> RawStep { RawStep(.read(.count(count))) }

    /// Reads until the client closes its sending side. The server can answer only if `TestServer.Options.allowsHalfClose` is set.
    public static let readToEnd = RawStep(.read(.end))

    /// Reads the headers of an HTTP/1 request.
    public static let readRequestHead = RawStep.read(until: "\r\n\r\n")

    /// Sends the UTF-8 bytes of `text` unchanged.
    public static func send(_ text: String) -> RawStep { RawStep(.send(ByteBuffer(string: text))) }

    /// Sends these bytes unchanged.
    public static func send(_ bytes: Data) -> RawStep { RawStep(.send(ByteBuffer(bytes: bytes))) }

    /// Sends one byte `count` times, as fast as the client reads.
    public static func sendRepeating(_ byte: UInt8, count: Int) -> RawStep {
      RawStep(.payload(.repeating(byte, count: count), WireStep.Pace()))
    }

    /// Waits until the gate lets the script continue.
    public static func wait(_ gate: Gate) -> RawStep { RawStep(.pass(gate)) }

    /// Waits at the gate that `TestServer.gate(_:)` returns for this name.
    public static func waitForRelease(_ name: String) -> RawStep { RawStep(release: name) }

    /// Sends all received bytes back until the client closes its sending side.
    public static let echo = RawStep(.echo)

    /// Switches to TLS with this certificate, as after STARTTLS.
    public static func startTLS(_ certificate: TestCertificate) -> RawStep { RawStep(.startTLS(certificate)) }

    /// Closes the sending side and keeps receiving.
    public static let closeOutput = RawStep(.closeOutput)

    /// Closes the connection; with TLS, after the close_notify alert.
    public static let close = RawStep(.disconnect(.orderly))

    /// Closes the TCP connection; with TLS, without the close_notify alert, so that the client has to treat the end as a truncation.
    public static let closeAbruptly = RawStep(.disconnect(.abrupt))

    /// Resets the TCP connection.
    public static let reset = RawStep(.disconnect(.reset))
  }
#endif
