import Foundation
import HTTPTransport
import LoadingModel
import ProtocolRules
import URLLoadingTestKit

@testable import LoadingEngine

/// A session for stages under test: the test moves its clock, its connections are channels in memory and its networks don't change.
///
/// Loads run on the session's event loop, through its executor.
final class StageBench: Sendable {
  let clock = ManualClock()
  let network = MemoryNetwork()
  let session: LoadSession

  init(_ configure: (inout LoadSettings) -> Void = { _ in }) {
    var settings = LoadSettings(tls: TLSSettings(minimumVersion: 0x0303, maximumVersion: 0x0304), userAgent: "bench")
    settings.clock = clock
    settings.network = VirtualNetwork(.toTestServers(.wired))
    settings.sockets.opensChannel = network.opening
    configure(&settings)
    session = LoadSession(settings)
  }

  /// Begins a load that runs through `stages`, and then reads the body.
  ///
  /// - Parameter prepare: Called with the load before the first stage, on the event loop.
  func begin(
    _ request: LoadRequest, through stages: [any Stage], _ client: RecordingClient = RecordingClient(),
    prepare: @escaping @Sendable (Load) -> Void = { _ in }
  ) -> BenchLoad {
    let context = session.makeContext(request)
    client.context.withLock { $0 = context }
    let load = Load(context, client)
    let task = Task(executorPreference: session.executor) { [self] in
      var outcome = BenchLoad.Outcome()
      prepare(load)
      do throws(LoadError) {
        let loaded = try await Next(stages, load)(request, context)
        outcome.response = loaded.response
        outcome.framing = loaded.framing
        while let piece = try await loaded.body.next() { outcome.body += String(buffer: piece) }
      } catch {
        outcome.error = error
      }
      outcome.records = context.allRecords
      _ = self
      return outcome
    }
    return BenchLoad(load: load, session: session, task: task)
  }

  /// A whole load.
  func load(
    _ request: LoadRequest, through stages: [any Stage], _ client: RecordingClient = RecordingClient(),
    prepare: @escaping @Sendable (Load) -> Void = { _ in }
  ) async -> BenchLoad.Outcome {
    await begin(request, through: stages, client, prepare: prepare).outcome
  }

  /// Runs `body` on the session's event loop.
  func onLoop<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async throws -> Value {
    try await session.executor.eventLoop.submit(body).get()
  }
}
