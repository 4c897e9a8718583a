import LoadingModel
import NIOCore
import ProtocolRules

@testable import HTTPTransport
@testable import URLLoadingTestKit

/// Takes the place of QUIC in a session under test: the test says what becomes of each attempt.
final class ScriptedAlternatives: AlternativeOpener {
  /// An attempt under way.
  struct Opening: Sendable {
    let attempt: ConnectAttempt
    let endpoint: AlternativeEndpoint
    fileprivate let owner: any AttemptOwner & Sendable
    fileprivate let promise: EventLoopPromise<any MultiplexedConnection>

    /// Ends it with a connection, which answers every request with status 200.
    @discardableResult
    func succeed(
      accepted acceptance: PeerAcceptance = .evaluated, streams: Int = 100, isSilent: Bool = false
    ) -> ScriptedConnection {
      let connection = ScriptedConnection(attempt, owner, promise.futureResult.eventLoop, acceptance, streams, isSilent: isSilent)
      promise.succeed(connection)
      return connection
    }

    func fail(_ kind: LoadError.Kind = .cannotConnectToHost) {
      promise.fail(LoadError(kind, .connect, "the attempt over QUIC has failed"))
    }

    /// Returns once it has ended, however.
    func ended() async { _ = try? await promise.futureResult.get() }
  }

  private let openings = Watched<[Opening]>([])

  /// Attempts so far.
  var attempts: Int { openings.read(\.count) }

  /// The attempt with this number, once it has begun.
  func opening(_ number: Int = 0) async throws -> Opening {
    try await openings.wait { $0.count > number }
    return openings.read { $0[number] }
  }

  func open(
    _ attempt: ConnectAttempt, at endpoint: AlternativeEndpoint, owner: any AttemptOwner
  ) async throws(LoadError) -> any MultiplexedConnection {
    guard let pool = owner as? ConnectionPool else { throw LoadError(.unknown, .connect, "no pool") }
    let eventLoop = pool.executor.eventLoop
    let promise = eventLoop.makePromise(of: (any MultiplexedConnection).self)
    let ended = LoadError(.networkConnectionLost, .connect, "the attempt was ended")
    let channel = MemoryChannel(eventLoop, local: nil, remote: nil)
    channel.closeFuture.whenComplete { _ in promise.fail(ended) }
    attempt.began(on: channel).whenFailure { _ in promise.fail(ended) }
    openings.update { $0.append(Opening(attempt: attempt, endpoint: endpoint, owner: pool, promise: promise)) }
    do {
      return try await promise.futureResult.get()
    } catch {
      throw error as? LoadError ?? ended
    }
  }
}
