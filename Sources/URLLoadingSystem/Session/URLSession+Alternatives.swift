import Foundation
import HTTPTransport
import LoadingEngine
import LoadingModel
import ProtocolRules

extension URLSession {
  /// The places that the origin of `url` has announced in `Alt-Svc` fields of this session's responses.
  package func alternativeServices(of url: URL) async -> [AlternativeService] {
    guard let origin = LoadRequest(url: url).target?.origin else { return [] }
    let engine = engine
    return await withCheckedContinuation { continuation in
      engine.onLoop { continuation.resume(returning: engine.alternatives.said.services(of: origin, now: engine.clock.date)) }
    }
  }
  /// The place where a load of `url` may try HTTP/3, as far as it is known without a DNS query.
  package func alternative(of url: URL) async -> AlternativeEndpoint? {
    guard let origin = LoadRequest(url: url).target?.origin else { return nil }
    let engine = engine
    return await withCheckedContinuation { continuation in
      engine.onLoop { continuation.resume(returning: engine.alternative(of: origin)) }
    }
  }
}
