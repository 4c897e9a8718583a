import HTTPTransport
import LoadingModel
import NIOCore

/// The part of a stream session that waits: for its end, for the trust store when TLS is to begin, for a response's body.
struct StreamLoad {
  let stream: StreamSession
  let session: LoadSession
  let context: LoadContext
  let client: any LoadClient

  /// Continues with the connection of `loaded`, after the response's head. If the connection is shared with other loads, or there is none, with
  /// the response's body, which can only be read.
  /// - Parameter exchange: The last exchange, whose connection the stream takes over if that is still possible; nil if there is none.
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
      // The load may have been interrupted on the event loop after the body ended and before this task continued.
      try context.checkpoint()
      // The app may not have read all bytes yet.
      context.waits(on: stream)
      try await serve()
    }
  }

  /// Serves the session until both directions are closed, or the app takes the streams.
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

/// A response's body as the source of a stream that can only be read. Confined to the load.
final class BodySource: StreamSource {
  private let context: LoadContext
  private weak var receiver: (any StreamReceiver)?
  private var room: AppWait<Void>?
  private var end: LoadError??
  /// The body, while a piece of it is awaited; nil otherwise.
  private var awaited: (any BodyReader)?
  private var isClosed = false

  init(_ context: LoadContext) { self.context = context }

  /// Passes the body on to the receiver, as fast as that reads it.
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
      // If the source was closed, `close` has ended the wait: that isn't an error.
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
    // The wait for a piece is ended, because the server may send none for long.
    awaited?.interrupt()
    demand()
  }
}
