import LoadingModel
import NIOCore
import ProtocolRules

/// Opens one connection for a stream task, and is what the waiting load can interrupt. Confined to the event loop.
final class StreamConnector: Interruptible, @unchecked Sendable {
  // @unchecked: made and used on the session's event loop alone.
  private enum State {
    case dialing
    case waiting(UnsafeContinuation<Result<StreamConnection, LoadError>, Never>)
    case settled(Result<StreamConnection, LoadError>)
    case over
  }

  private let destination: Destination
  private(set) lazy var attempt = makeAttempt()
  private var state = State.dialing
  /// The handlers of all sockets that are tried. Each is added before its socket is connected, as a server may send, and even close, before the
  /// stream is attached.
  private var prepared: [(channel: any Channel, connection: StreamConnection)] = []

  init(_ destination: Destination) {
    self.destination = destination
  }

  private func makeAttempt() -> ConnectAttempt {
    ConnectAttempt(destination) { [weak self] channel in try self?.prepare(channel) }
  }

  /// Starts again with a new attempt, after the local address of the previous one has left the machine. Returns false if no load waits any more.
  func beginAgain() -> Bool {
    switch state {
    case .settled, .over: return false
    case .dialing, .waiting: break
    }
    attempt = makeAttempt()
    prepared = []
    return true
  }

  private func prepare(_ channel: any Channel) throws {
    let connection = StreamConnection(channel)
    // Not with a proxy: when it closes, the tunnel can't be opened, and sending more would be useless.
    if attempt.destination.route.isDirect { connection.allowHalfClosure() }
    try channel.pipeline.syncOperations.addHandler(connection)
    prepared.append((channel, connection))
  }

  func connection(on channel: any Channel) throws(LoadError) -> StreamConnection {
    guard let connection = prepared.first(where: { $0.channel === channel })?.connection else {
      throw LoadError(.cannotConnectToHost, .connect, "the connection was closed at once")
    }
    connection.allowHalfClosure()
    prepared = []
    return connection
  }

  func result() async -> Result<StreamConnection, LoadError> {
    if case .settled(let result) = state {
      state = .over
      return result
    }
    return await withUnsafeContinuation { state = .waiting($0) }
  }

  /// Ends the wait with `result`. Only the first result counts; a connection that arrives later is closed.
  func settle(_ result: Result<StreamConnection, LoadError>) {
    switch state {
    case .dialing: state = .settled(result)
    case .waiting(let continuation):
      state = .over
      continuation.resume(returning: result)
    case .settled, .over: if case .success(let connection) = result { connection.close() }
    }
  }

  func interrupt(_ error: LoadError) {
    settle(.failure(error))
    attempt.end()
  }

  func suspensionEnded() {}
}

extension StreamConnector: PathBound {
  func vanished(_ addresses: Set<String>) { attempt.vanished(addresses) }
}
