extension TrustRequirement {
  /// What is demanded to be known of revocation. It is looked for in the lists that come with the anchors, and nowhere else.
  package enum Revocation: Sendable, Hashable {
    case unasked
    /// It may stay unknown.
    case asked(options: UInt)
    /// A chain of which it is unknown isn't trusted.
    case required(options: UInt)

    /// kSecRevocationCRLMethod.
    package static let byLists: UInt = 1 << 1

    var isRequired: Bool { if case .required = self { true } else { false } }

    /// Where there are lists, they count unless other methods are named.
    var looksIntoLists: Bool {
      switch self {
      case .unasked: true
      case .asked(let options), .required(let options): options & Revocation.byLists != 0
      }
    }
  }
}

extension TrustVerdict {
  /// The same verdict, or `revocationUnknown` if the requirement demands to know that nothing has been revoked and the lists don't say so.
  func meeting(_ requirement: TrustRequirement) -> TrustVerdict {
    guard isTrusted, !isUnrevoked, requirement.revocation.isRequired else { return self }
    return TrustVerdict(.revocationUnknown)
  }
}
