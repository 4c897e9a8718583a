extension TrustRequirement {
  /// What is demanded to be known of revocation. Options are compared and not interpreted: revocation isn't looked up.
  package enum Revocation: Sendable, Hashable {
    case unasked
    /// It may stay unknown.
    case asked(options: UInt)
    /// A chain of which it is unknown isn't trusted.
    case required(options: UInt)
  }
}

extension TrustVerdict {
  /// The same verdict, or `revocationUnknown` if the requirement demands to know that nothing has been revoked.
  func meeting(_ requirement: TrustRequirement) -> TrustVerdict {
    guard isTrusted, case .required = requirement.revocation else { return self }
    return TrustVerdict(.revocationUnknown)
  }
}
