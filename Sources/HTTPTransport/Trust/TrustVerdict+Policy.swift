import Foundation
import LoadingModel
import ProtocolRules

extension TrustVerdict {
  /// This verdict, or, if the chain is trusted but violates the origin's policy, the violation: `unpinned`, `livesTooLong` or `unpublished`.
  ///
  /// - Parameter evidence: The Certificate Transparency timestamps of the handshake; only evaluated if the policy requires transparency.
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
    // If pins are given for both the leaf and authorities, both must match.
    guard matches(pins.prefix(1), policy.leafPins), matches(pins.dropFirst(), policy.authorityPins) else {
      return TrustVerdict(.unpinned)
    }
    return self
  }
}
