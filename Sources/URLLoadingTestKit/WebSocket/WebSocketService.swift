#if TestKit
  import Foundation

  /// What a test server does on a connection that has become a WebSocket, and what it got there. All members may be used from any thread.
  ///
  ///     let service = WebSocketService(.echo)
  ///     server.route("/chat", .GET, reply: .webSocket(service))
  public final class WebSocketService: Sendable {
    /// What the server does once the WebSocket is open.
    public enum Conduct: Sendable {
      /// Sends messages back frame by frame, answers pings and close frames, and ends the connection after those.
      case echo
      /// These steps; after the last one the connection stays open and what comes is recorded.
      case script([Step])
    }

    /// One step of a script.
    public enum Step: Sendable {
      /// Sends a frame, legal or not.
      case send(Frame)
      /// Sends bytes, as they are.
      case sendBytes(Data)
      /// Waits until this many more frames have come. Nothing is read but while a step waits for frames, and after the last one.
      case receive(Int)
      /// Waits for a gate.
      case wait(Gate)
      /// Sends back what comes from now on; the last step.
      case echo
      /// Closes the TCP connection.
      case disconnect
      /// Resets the TCP connection.
      case reset
      /// Reads nothing any more; the last step.
      case stall
    }

    struct Record: Sendable {
      var frames: [Frame] = []
      var opened = 0
      var closed = 0
    }

    /// What the server does.
    public let conduct: Conduct
    /// Fields of the 101 response beside those that the handshake needs: a subprotocol, extensions. Fields of the same name replace those.
    public let headers: HeaderList
    let record = Watched(Record())

    /// - Parameter headers: Fields of the 101 response beside those that the handshake needs. One with an empty value is left out.
    public init(_ conduct: Conduct, headers: HeaderList = [:]) {
      self.conduct = conduct
      self.headers = headers
    }

    /// The frames that have come, of all connections.
    public var frames: [Frame] { record.read(\.frames) }

    /// How many connections have been opened, and how many of them closed.
    public var connections: (opened: Int, closed: Int) { record.read { ($0.opened, $0.closed) } }

    /// Returns the frames once there are this many. Throws `CancellationError` if the task is cancelled first.
    @discardableResult
    public func received(_ count: Int) async throws -> [Frame] {
      try await record.wait { $0.frames.count >= count }
      return frames
    }

    /// Returns the first close frame that comes.
    public func closeFrame() async throws -> Frame? {
      try await record.wait { record in record.frames.contains { $0.opcode == .close } }
      return frames.first { $0.opcode == .close }
    }

    /// Returns once this many connections have ended.
    public func ended(_ count: Int = 1) async throws {
      try await record.wait { $0.closed >= count }
    }
  }

  extension Reply {
    /// Opens a WebSocket; a request that doesn't ask for one gets a 426.
    public static func webSocket(_ service: WebSocketService) -> Reply {
      var reply = Reply(426, headers: ["Upgrade": "websocket"])
      reply.webSocket = service
      return reply
    }
  }
#endif
