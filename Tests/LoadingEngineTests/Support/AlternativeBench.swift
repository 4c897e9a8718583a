import LoadingModel
import ProtocolRules
import URLLoadingTestKit

@testable import HTTPTransport
@testable import LoadingEngine

/// A session whose loads may go over HTTP/3 without packets, or over TCP: to sockets in memory that speak no TLS, or to a server.
struct AlternativeBench: Sendable {
  let quic = ScriptedAlternatives()
  let stages: StageBench
  static let endpoint = AlternativeEndpoint(host: "192.0.2.1", port: 443)
  static let url = "https://192.0.2.1/"

  /// - Parameters:
  ///   - isKnown: Whether every origin has said that it is served over HTTP/3.
  ///   - server: A server that TCP leads to, in the place of sockets in memory.
  init(isKnown: Bool = true, server: TestCertificateAuthority? = nil, _ configure: (inout LoadSettings) -> Void = { _ in }) async throws {
    let quic = quic
    stages = StageBench { settings in
      settings.alternativeOpener = quic
      if let server {
        settings.sockets.opensChannel = nil
        settings.tls.additionalRoots = [server.pem]
      }
      configure(&settings)
    }
    if isKnown { try await know(AlternativeBench.endpoint) }
  }

  var tcp: MemoryNetwork { stages.network }
  var clock: ManualClock { stages.clock }

  /// From now on every origin is said to be served there; nil for none.
  func know(_ endpoint: AlternativeEndpoint?) async throws {
    let pool = stages.session.pool
    try await stages.onLoop { pool.alternatives.known = { _ in endpoint } }
  }

  /// A load whose app is asked about servers.
  func begin(_ url: String = AlternativeBench.url, asking evaluator: any PeerEvaluator) -> BenchLoad {
    stages.begin(
      LoadRequest(url), through: [RetryStage(session: stages.session), ExchangeStage(session: stages.session)],
      RecordingClient { $0.evaluator = evaluator })
  }

  func begin(_ url: String = AlternativeBench.url, prepare: @escaping @Sendable (Load) -> Void = { _ in }) -> BenchLoad {
    begin(LoadRequest(url), prepare: prepare)
  }

  func begin(_ request: LoadRequest, prepare: @escaping @Sendable (Load) -> Void = { _ in }) -> BenchLoad {
    stages.begin(request, through: [RetryStage(session: stages.session), ExchangeStage(session: stages.session)]) { load in
      load.context.recordsSentFields = true
      prepare(load)
    }
  }

  /// Returns once no attempt over QUIC is under way.
  func settle() async throws {
    let pool = stages.session.pool
    while try await !stages.onLoop({ pool.alternatives.races.isEmpty }) { await Task.yield() }
  }

  /// Has a load served over HTTP/3, so that this is known to work.
  func prove() async throws -> ScriptedConnection {
    tcp.answer(.silent)
    let load = begin()
    _ = try await tcp.peer()
    let connection = try await quic.opening().succeed()
    _ = await load.outcome
    return connection
  }
}
