import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Servers on many addresses of the loopback interface that answer with two bytes when they are told to: `answer`, `hold` on standard
/// input, each with a line in return.
final class HoldingServer: Sendable {
  private struct State {
    var isAnswering = true
    var held: [any Channel] = []
  }

  private let state = Mutex(State())
  static let reply = ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

  /// Takes a request; whether it is to be answered at once.
  func take(_ channel: any Channel) -> Bool {
    state.withLock { state in
      if !state.isAnswering { state.held.append(channel) }
      return state.isAnswering
    }
  }

  private func obey(_ command: String) -> String {
    state.withLock { state in
      switch command {
      case "answer":
        state.isAnswering = true
        for channel in state.held { channel.writeAndFlush(HoldingServer.reply, promise: nil) }
        state.held = []
      case "hold": state.isAnswering = false
      default: break
      }
      return "\(state.held.count)"
    }
  }

  static func run(hosts: Int) async throws {
    let server = HoldingServer()
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var ports: [String] = []
    for index in 0..<hosts {
      let bootstrap = ServerBootstrap(group: group).childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Taker(server)) }
      }
      let host = "127.0.0.\(index + 1)"
      let listener = try await bootstrap.bind(host: host, port: 0).get()
      ports.append("http://\(host):\(listener.localAddress?.port ?? 0)/")
    }
    say(ports.joined(separator: " "))
    while let command = readLine() { say(server.obey(command)) }
    exit(0)
  }

  private static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}

/// One connection of the server's. Requests have no bodies: each ends with an empty line.
private final class Taker: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let server: HoldingServer
  private var newlines = 0

  init(_ server: HoldingServer) {
    self.server = server
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    for byte in unwrapInboundIn(data).readableBytesView {
      switch byte {
      case UInt8(ascii: "\n"): newlines += 1
      case UInt8(ascii: "\r"): break
      default: newlines = 0
      }
      guard newlines == 2 else { continue }
      newlines = 0
      if server.take(context.channel) { context.write(wrapOutboundOut(HoldingServer.reply), promise: nil) }
    }
    context.flush()
  }
}

/// The servers as a process of their own, whose memory isn't the loads'.
struct ServerProcess {
  private let process = Process()
  private let commands = Pipe()
  private let replies = Pipe()
  let urls: [URL]

  init(hosts: Int) throws {
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe")
    process.arguments = ["--serve", "--hosts", "\(hosts)"]
    process.standardInput = commands
    process.standardOutput = replies
    try process.run()
    urls = ServerProcess.line(of: replies).split(separator: " ").compactMap { URL(string: String($0)) }
    guard urls.count == hosts else { throw CocoaError(.fileReadUnknown) }
  }

  func answer() { _ = tell("answer") }
  func hold() { _ = tell("hold") }

  /// Returns when the servers hold so many requests.
  func waitUntilHeld(_ count: Int) {
    for _ in 0..<6000 where Int(tell("count")) ?? 0 < count { usleep(10_000) }
  }

  func stop() {
    try? commands.fileHandleForWriting.close()
    process.waitUntilExit()
  }

  private func tell(_ command: String) -> String {
    commands.fileHandleForWriting.write(Data((command + "\n").utf8))
    return ServerProcess.line(of: replies)
  }

  private static func line(of pipe: Pipe) -> String {
    var line = Data()
    while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), byte.first.map({ $0 != UInt8(ascii: "\n") }) == true {
      line += byte
    }
    return String(decoding: line, as: UTF8.self)
  }
}
