import Foundation
import LoadingEngine
import LoadingModel
import ProtocolRules

extension URLSession {
  /// Where else the origin of `url` is served, as it has said in `Alt-Svc` to this session's loads.
  package func alternativeServices(of url: URL) async -> [AlternativeService] {
    guard let origin = LoadRequest(url: url).target?.origin else { return [] }
    let engine = engine
    return await withCheckedContinuation { continuation in
      engine.onLoop { continuation.resume(returning: engine.alternatives.services(of: origin, now: engine.clock.now)) }
    }
  }
}
