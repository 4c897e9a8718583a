import HTTPTransport
import LoadingModel

@testable import LoadingEngine

/// A load of a session's, from its request to its client's last call.
struct DriverRun {
  let context: LoadContext
  let client: RecordingClient
  private let session: LoadSession

  init(_ bench: StageBench, _ request: LoadRequest, _ client: RecordingClient) {
    context = bench.session.makeContext(request)
    self.client = client
    session = bench.session
    client.context.withLock { [context] in $0 = context }
  }

  func start(_ request: LoadRequest) { session.start(request, context, client) }
  func suspend(_ isSuspended: Bool) { session.setSuspended(context, isSuspended) }
  func cancel() { session.interrupt(context, .cancelled()) }
}
