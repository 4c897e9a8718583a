import Foundation
import NIOCore

@testable import URLLoadingTestKit

/// The server's end of a connection in memory. Used from the test.
final class MemoryPeer: Sendable {
  private struct State: Sendable {
    var unread = ""
    var hasEnded = false
    var isClosed = false
  }

  private let channel: MemoryChannel
  private let state = Watched(State())
  /// Where the client wanted to connect to.
  var port: Int? { channel.remoteAddress?.port }

  init(_ channel: MemoryChannel) {
    self.channel = channel
    channel.written = { [state] bytes in state.update { $0.unread += String(buffer: bytes) } }
    channel.ended = { [state] in state.update { $0.hasEnded = true } }
    channel.closeFuture.whenComplete { [state] _ in state.update { $0.isClosed = true } }
  }

  /// What the client has sent, up to and with `end`, once that has come.
  func receive(upTo end: String = "\r\n\r\n") async throws -> String {
    try await state.wait { $0.unread.firstRange(of: end) != nil || $0.isClosed }
    return state.update { state in
      guard let range = state.unread.firstRange(of: end) else { return state.unread }
      let text = String(state.unread[..<range.upperBound])
      state.unread.removeSubrange(..<range.upperBound)
      return text
    }
  }

  /// Sends `text`; lines end with CRLF.
  func send(_ text: String) { send(Array(text.utf8)) }

  func send(_ bytes: [UInt8]) {
    let bytes = ByteBuffer(bytes: bytes)
    channel.eventLoop.execute { [channel] in channel.receive(bytes) }
  }

  /// Sends nothing more: the connection is closed once all has been read.
  func close() { channel.eventLoop.execute { [channel] in channel.receiveEnd() } }

  /// Returns once the client has sent all that it will send.
  func ended() async throws { try await state.wait { $0.hasEnded } }

  /// So many of the client's bytes count as still under way.
  func leaveUnacknowledged(_ bytes: Int) async throws {
    try await channel.eventLoop.submit { [channel] in channel.unacknowledgedBytes = bytes }.get()
  }

  /// Returns once the connection is closed, by whichever side.
  func closed() async throws { try await state.wait(until: \.isClosed) }
  var isClosed: Bool { state.read(\.isClosed) }
}
