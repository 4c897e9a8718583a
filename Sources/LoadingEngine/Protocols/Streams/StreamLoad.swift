import HTTPTransport
import LoadingModel
import NIOCore

/// The part of a stream session that waits: for its end, for the trust store, for a body.
struct StreamLoad {
  let stream: StreamSession
  let session: LoadSession
  let context: LoadContext
  let client: any LoadClient

  /// Continues with what `loaded` has left: the connection, positioned behind the response's head, or where that is shared with others or
  /// there is none, the body, which can only be read.
  /// - Parameter exchange: The last exchange, whose connection may still be there to take.
  func run(_ loaded: Loaded, over exchange: Exchange?) async throws(LoadError) {
    try context.checkpoint()
    if let connection = exchange?.handOver() {
      context.waits(on: stream)
      stream.open(connection, isSecured: context.record.request.target?.origin.isSecure == true)
      loaded.body.abandon()
      try await serve()
    } else {
      let source = BodySource(context)
      stream.open(source, isReadOnly: true)
      try await source.pump(loaded.body)
      // A legal race: the body ended, and the load was interrupted before it went on.
      try context.checkpoint()
      // What has come may still be unread.
      context.waits(on: stream)
      try await serve()
    }
  }

  /// Serves the session until both sides are closed, or the app takes the streams.
  func serve() async throws(LoadError) {
    while true {
      switch await stream.nextTurn() {
      case .finish: return
      case .fail(let error): throw error
      case .secure: try await secure()
      }
    }
  }

  private func secure() async throws(LoadError) {
    guard let origin = context.record.request.target?.origin else { return }
    let security: ChannelSecurity
    do throws(LoadError) {
      security = try await session.pool.streams.security(origin, context, evaluator: client.peerEvaluator)
    } catch {
      throw context.failure ?? error
    }
    try context.checkpoint()
    try await stream.secure(security)
  }
}

/// A response's body as a stream that can only be read. Confined to the load.
final class BodySource: StreamSource {
  private let context: LoadContext
  private weak var receiver: (any StreamReceiver)?
  private var room: AppWait<Void>?
  private var end: LoadError??
  /// The body while a piece of it is awaited.
  private var awaited: (any BodyReader)?
  private var isClosed = false

  init(_ context: LoadContext) { self.context = context }

  /// Passes the body on, as fast as it is read.
  func pump(_ body: any BodyReader) async throws(LoadError) {
    do throws(LoadError) {
      while !isClosed, let piece = try await next(body) {
        receiver?.received(piece)
        guard !isClosed, receiver?.wantsBytes != true else { continue }
        try await AppWait<Void>.ask(context) { room = $0 }
      }
      if isClosed { body.abandon() }
      finish(nil)
    } catch {
      // The wait was ended by `close`.
      guard !isClosed || context.failure != nil else {
        body.abandon()
        return finish(nil)
      }
      finish(error)
      throw error
    }
  }

  private func next(_ body: any BodyReader) async throws(LoadError) -> ByteBuffer? {
    awaited = body
    defer { awaited = nil }
    return try await body.next()
  }

  private func finish(_ error: LoadError?) {
    end = .some(error)
    receiver?.inputEnded(error)
  }

  func attach(_ receiver: (any StreamReceiver)?) {
    self.receiver = receiver
    if case .some(let error) = end { receiver?.inputEnded(error) }
    demand()
  }

  func demand() {
    guard let room else { return }
    self.room = nil
    room.answer(())
  }

  var isWritable: Bool { false }
  func write(_ bytes: ByteBuffer, _ written: EventLoopPromise<Void>) { written.fail(ChannelError.outputClosed) }
  func flush() {}
  func closeOutput(_ closed: EventLoopPromise<Void>) { closed.succeed() }

  func close() {
    isClosed = true
    // A server that is silent needn't be waited for.
    awaited?.interrupt()
    demand()
  }
}
