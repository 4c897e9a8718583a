import Foundation
import LoadingModel

extension TrustVerdict {
  /// The same verdict, or `unpinned` if the chain lacks a key that the origin's policy demands.
  func meeting(_ policy: TLSPolicy) -> TrustVerdict {
    guard isTrusted, !policy.leafPins.isEmpty || !policy.authorityPins.isEmpty else { return self }
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
