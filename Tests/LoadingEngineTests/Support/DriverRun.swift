import HTTPTransport
import LoadingModel

@testable import LoadingEngine

/// A load of a session's, from its request to its client's last call.
struct DriverRun {
  let load: Load
  let client: RecordingClient
  private let session: LoadSession
  var context: LoadContext { load.context }

  init(_ bench: StageBench, _ request: LoadRequest, _ client: RecordingClient) {
    let context = bench.session.makeContext(request)
    load = Load(context, client)
    self.client = client
    session = bench.session
    client.context.withLock { $0 = context }
  }

  func start(_ request: LoadRequest) { session.start(request, load) }
  func suspend(_ isSuspended: Bool) { session.setSuspended(context, isSuspended) }
  func cancel() { session.interrupt(context, .cancelled()) }
}
