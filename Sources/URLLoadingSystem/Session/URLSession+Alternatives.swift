import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

extension URLSession {
  /// Where else the origin of `url` is served, as it has said in `Alt-Svc` to this session's loads.
  package func alternativeServices(of url: URL) async -> [AlternativeService] {
    guard let origin = LoadRequest(url: url).target?.origin else { return [] }
    let engine = engine
    return await withCheckedContinuation { continuation in
      engine.onLoop { continuation.resume(returning: engine.alternatives.said.services(of: origin, now: engine.clock.date)) }
    }
  }
  /// Where a load of `url` may try HTTP/3, as far as that is known without waiting.
  package func alternative(of url: URL) async -> AlternativeEndpoint? {
    guard let origin = LoadRequest(url: url).target?.origin else { return nil }
    let engine = engine
    return await withCheckedContinuation { continuation in
      engine.onLoop { continuation.resume(returning: engine.alternative(of: origin)) }
    }
  }
}
