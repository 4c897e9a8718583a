import Foundation
import LoadingModel
import ProtocolRules

extension TrustVerdict {
  /// The same verdict of an evaluation against `store`, or why the chain isn't what the origin's policy demands: `unpinned`, `livesTooLong`,
  /// `unpublished`.
  ///
  /// - Parameter evidence: What the handshake has shown, asked for where the policy requires transparency.
  func meeting(
    _ policy: TLSPolicy, _ store: TrustStore, _ evidence: @autoclosure () -> TransparencyEvidence = TransparencyEvidence()
  ) -> TrustVerdict {
    guard isTrusted else { return self }
    if policy.limitsLifetimes, let leaf = chain.first, let anchor = chain.last, chain.count > 1,
      let limit = CertificateParts.validity(of: leaf).flatMap(CertificateLifetimeRules.exceededLimit), store.isPublic(anchor)
    {
      return TrustVerdict(.livesTooLong(days: limit))
    }
    if policy.requiresTransparency, let anchor = chain.last, chain.count > 1, store.isPublic(anchor),
      let shortfall = evidence().shortfall(of: chain)
    {
      return TrustVerdict(.unpublished(shortfall))
    }
    guard !policy.leafPins.isEmpty || !policy.authorityPins.isEmpty else { return self }
    let pins = chain.map { CertificateParts.pin(of: $0) }
    func matches(_ keys: ArraySlice<Data?>, _ expected: Set<Data>) -> Bool {
      expected.isEmpty || keys.contains { $0.map(expected.contains) ?? false }
    }
    // Where both lists are given, each has to have its match.
    guard matches(pins.prefix(1), policy.leafPins), matches(pins.dropFirst(), policy.authorityPins) else {
      return TrustVerdict(.unpinned)
    }
    return self
  }
}
