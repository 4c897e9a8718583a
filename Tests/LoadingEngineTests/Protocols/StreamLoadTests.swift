import HTTPTransport
import LoadingModel
import NIOCore
import Testing

@testable import LoadingEngine

/// A load that has become a stream task's.
@Suite(.timeLimit(.minutes(10))) struct StreamLoadTests {
  /// A body whose end and an interruption of its load come together.
  private final class EndingBody: BodyReader {
    let context: LoadContext

    init(_ context: LoadContext) { self.context = context }

    func next() async throws(LoadError) -> ByteBuffer? {
      context.interrupt(.cancelled())
      return nil
    }

    func abandon() {}
  }

  private let bench = StageBench()

  private func run(_ prepare: @escaping @Sendable (LoadContext) -> any BodyReader) async -> LoadError? {
    let session = bench.session
    let stream = TestedStream(session.executor)
    let task = Task(executorPreference: session.executor) { () -> LoadError? in
      let request = LoadRequest("http://origin.test/")
      let context = session.makeContext(request)
      let client = RecordingClient()
      let load = Load(context, client)
      stream.begin(load)
      defer { stream.stream.end(nil) }
      guard let url = request.url else { return nil }
      let loaded = Loaded(
        response: LoadResponse(url: url, kind: .http(ResponseHead(status: 200, headers: HeaderFields([]))), expectedLength: -1),
        body: prepare(context))
      do throws(LoadError) {
        try await StreamLoad(stream: stream.stream, session: session, context: context, client: client).run(loaded, over: nil)
        return nil
      } catch {
        return error
      }
    }
    return await task.value
  }

  @Test func interruptionBesideTheEndOfTheBodyEndsTheStream() async {
    #expect(await run { EndingBody($0) }?.kind == .cancelled)
  }

  @Test func interruptionBeforeTheStreamBeginsEndsIt() async {
    let error = await run { context in
      context.interrupt(.cancelled())
      return PieceBody("unread")
    }
    #expect(error?.kind == .cancelled)
  }
}
