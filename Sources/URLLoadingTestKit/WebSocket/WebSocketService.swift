#if TestKit
  import Foundation

  /// What a test server does with its WebSockets, and the frames that it has received there. All members may be used from any thread.
  ///
  ///     let service = WebSocketService(.echo)
  ///     server.route("/chat", .GET, reply: .webSocket(service))
  public final class WebSocketService: Sendable {
    /// What the server does once the WebSocket is open.
    public enum Conduct: Sendable {
      /// Sends each frame back, answers pings and close frames, and closes the connection after a close frame.
      case echo
      /// Performs these steps. After the last one the connection stays open, and received frames are recorded.
      case script([Step])
    }

    /// One step of a script.
    public enum Step: Sendable {
      /// Sends a frame, valid or not.
      case send(Frame)
      /// Sends these bytes unchanged.
      case sendBytes(Data)
      /// Waits until this many more frames have been received. The script reads from the connection only during such a step and after the last step.
      case receive(Int)
      /// Waits until the gate lets the script continue.
      case wait(Gate)
      /// Sends each frame that is received from now on back to the client. Must be the last step.
      case echo
      /// Closes the TCP connection.
      case disconnect
      /// Resets the TCP connection.
      case reset
      /// Stops reading. Must be the last step.
      case stall
    }

    struct Record: Sendable {
      var frames: [Frame] = []
      var opened = 0
      var closed = 0
    }

    /// What the server does once a WebSocket is open.
    public let conduct: Conduct
    /// Header fields of the 101 response in addition to those of the handshake, such as a subprotocol or extensions. They replace fields of the
    /// handshake with the same name.
    public let headers: HeaderList
    let record = Watched(Record())

    /// Creates a service.
    ///
    /// - Parameters:
    ///   - conduct: What the server does once a WebSocket is open.
    ///   - headers: Header fields of the 101 response in addition to those of the handshake. A field with an empty value removes the handshake's
    ///     field of this name.
    public init(_ conduct: Conduct, headers: HeaderList = [:]) {
      self.conduct = conduct
      self.headers = headers
    }

    /// The frames received so far, on all connections.
    public var frames: [Frame] { record.read(\.frames) }

    /// How many WebSockets have been opened, and how many of them have been closed.
    public var connections: (opened: Int, closed: Int) { record.read { ($0.opened, $0.closed) } }

    /// Returns all received frames once there are at least this many. Throws `CancellationError` if the task is cancelled first.
    @discardableResult
    public func received(_ count: Int) async throws -> [Frame] {
      try await record.wait { $0.frames.count >= count }
      return frames
    }

    /// Returns the first close frame that is received.
    public func closeFrame() async throws -> Frame? {
      try await record.wait { record in record.frames.contains { $0.opcode == .close } }
      return frames.first { $0.opcode == .close }
    }

    /// Returns once this many WebSockets have been closed.
    public func ended(_ count: Int = 1) async throws {
      try await record.wait { $0.closed >= count }
    }
  }

  extension Reply {
    /// A reply that opens a WebSocket; a request that doesn't ask for a WebSocket gets a 426.
    public static func webSocket(_ service: WebSocketService) -> Reply {
      var reply = Reply(426, headers: ["Upgrade": "websocket"])
      reply.webSocket = service
      return reply
    }
  }
#endif
