import Foundation
import HTTPTransport
import LoadingModel
import NIOCore

@testable import URLLoadingTestKit

/// Takes the place of sockets in a session under test: every connection is a channel in memory, whose other end is the test's.
final class MemoryNetwork: Sendable {
  /// What becomes of an attempt to connect.
  enum Connecting: Sendable {
    case connected
    case refused
    /// There is no route to the server.
    case unreachable
    /// Nothing answers; only the end of the attempt ends it.
    case silent
  }

  private struct State: Sendable {
    var outcomes: [Connecting] = []
    var peers: [MemoryPeer] = []
  }

  private let state = Watched(State())

  /// What the next attempts come to, in their order; those after them are connected.
  func answer(_ outcomes: Connecting...) { state.update { $0.outcomes += outcomes } }

  /// Attempts so far.
  var attempts: Int { state.read(\.peers.count) }

  /// The other end of the connection with this number, once it has been asked for.
  func peer(_ number: Int = 0) async throws -> MemoryPeer {
    try await state.wait { $0.peers.count > number }
    return state.read { $0.peers[number] }
  }

  var opening: SocketSettings.ChannelFactory {
    { [self] address, eventLoop, began in
      let channel = MemoryChannel(eventLoop, local: try? SocketAddress(ipAddress: "127.0.0.1", port: 50_000), remote: address)
      let peer = MemoryPeer(channel)
      let outcome = state.update { state in
        state.peers.append(peer)
        return state.outcomes.isEmpty ? .connected : state.outcomes.removeFirst()
      }
      let promise = eventLoop.makePromise(of: (any Channel).self)
      channel.closeFuture.whenComplete { _ in promise.fail(ChannelError.ioOnClosedChannel) }
      began(channel).whenComplete { result in
        switch (result, outcome) {
        case (.failure(let error), _): promise.fail(error)
        case (_, .refused): promise.fail(IOError(errnoCode: ECONNREFUSED, reason: "connect"))
        case (_, .unreachable): promise.fail(IOError(errnoCode: EHOSTUNREACH, reason: "connect"))
        case (_, .silent): break
        case (_, .connected):
          channel.connected()
          promise.succeed(channel)
        }
      }
      return promise.futureResult
    }
  }
}
